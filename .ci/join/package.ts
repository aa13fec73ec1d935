import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { join } from './join.ts'

/** The compiler's output within `dist`, which no tarball holds. */
const MODULES = '.modules'

interface Manifest {
  /** Each of ours has this form. */
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>
  readonly bin?: Readonly<Record<string, string>>
  /** Scripts below `dist` that do something when they are loaded: they stay as they are. */
  readonly sideEffects?: false | readonly string[]
}

/**
 * Joins what the compiler made of a public package: `dist` then holds what its manifest names, and what that loads.
 * @param folder - of the package, compiled; absolute
 * @see docs/decisions/0720
 */
export async function joinPackage(folder: string): Promise<void> {
  const text = readFileSync(path.join(folder, 'package.json'), 'utf8')
  const { exports, bin = {}, sideEffects } = JSON.parse(text) as Manifest // A manifest of this repository.
  const dist = path.join(folder, 'dist')
  const from = path.join(dist, MODULES)
  const scripts = Object.values(exports)
    .flatMap((entry) => (typeof entry === 'string' ? [] : [entry.default]))
    .concat(Object.values(bin))
  const alone = sideEffects === false || sideEffects === undefined ? [] : sideEffects.map(inDist)
  const first = firstImport(readFileSync(path.join(from, 'index.js'), 'utf8'))
  await join({
    from,
    to: dist,
    entries: [...new Set(scripts.map(inDist))],
    alone,
    ...(first !== undefined && { first }),
  })
}

/** The public packages of a workspace, as absolute folders. */
export function publicFolders(root: string): string[] {
  return globSync('packages/*/package.json', { cwd: root })
    .filter((file) => !isPrivate(path.join(root, file)))
    .map((file) => path.dirname(path.join(root, file)))
    .toSorted()
}

function isPrivate(manifest: string): boolean {
  const { private: isIt } = JSON.parse(readFileSync(manifest, 'utf8')) as { private?: boolean } // one of ours
  return isIt === true
}

function inDist(file: string): string {
  return path.relative('dist', file)
}

/** What an entry loads for its effect alone, before anything else: the check of Node's version. */
function firstImport(script: string): string | undefined {
  return /^import '([^']+)';$/m.exec(script)?.[1]
}
