import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { join } from './join.ts'

/** The compiler's output within `dist`, which no tarball holds. */
const MODULES = '.modules'

interface Manifest {
  readonly name: string
  readonly private?: boolean
  readonly dependencies?: Readonly<Record<string, string>>
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
  const { exports, bin = {}, sideEffects } = readManifest(path.join(folder, 'package.json'))
  const dist = path.join(folder, 'dist')
  const from = path.join(dist, MODULES)
  const scripts = Object.values(exports)
    .flatMap((entry) => (typeof entry === 'string' ? [] : [entry.default]))
    .concat(Object.values(bin))
  const alone = sideEffects === false || sideEffects === undefined ? [] : sideEffects.map(inDist)
  const first = firstImport(readFileSync(path.join(from, 'index.js'), 'utf8'))
  await join({
    from,
    sources: path.join(folder, 'src'),
    to: dist,
    entries: [...new Set(scripts.map(inDist))],
    alone,
    ...(first !== undefined && { first }),
  })
}

/** The public packages of a workspace, as absolute folders by their names. */
export function publicFolders(root: string): ReadonlyMap<string, string> {
  return new Map(
    globSync('packages/*/package.json', { cwd: root })
      .toSorted()
      .map(
        (file) =>
          [readManifest(path.join(root, file)), path.join(root, path.dirname(file))] as const,
      )
      .filter(([manifest]) => manifest.private !== true)
      .map(([{ name }, folder]) => [name, folder]),
  )
}

/** Those of them that the package of a folder loads, itself included where it is one. @param folders - of them all */
export function neededFolders(folder: string, folders: ReadonlyMap<string, string>): string[] {
  const needed = new Set<string>()
  const take = (one: string): void => {
    const { name, dependencies = {} } = readManifest(path.join(one, 'package.json'))
    if (folders.has(name)) needed.add(one)
    for (const other of Object.keys(dependencies)) {
      const below = folders.get(other)
      if (below !== undefined && !needed.has(below)) take(below)
    }
  }
  take(folder)
  return [...needed]
}

function readManifest(file: string): Manifest {
  return JSON.parse(readFileSync(file, 'utf8')) as Manifest // One of ours.
}

function inDist(file: string): string {
  return path.relative('dist', file)
}

/** What an entry loads for its effect alone, before anything else: the check of Node's version. */
function firstImport(script: string): string | undefined {
  return /^import '([^']+)';$/m.exec(script)?.[1]
}
