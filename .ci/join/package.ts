import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { type Entry, readManifest } from '../pack/package-files.ts'
import { join } from './join.ts'

/** The compiler's output within `dist`, which no tarball holds. */
const MODULES = '.modules'

/**
 * Joins what the compiler made of a public package: `dist` then holds what its manifest names, and what that loads.
 * @param folder - of the package, compiled; absolute
 * @see docs/decisions/0720
 */
export async function joinPackage(folder: string): Promise<void> {
  const { exports = {}, bin = {}, sideEffects = false } = readManifest(folder)
  const dist = path.join(folder, 'dist')
  const from = path.join(dist, MODULES)
  const scripts = Object.values(exports).flatMap(scriptOf).concat(Object.values(bin))
  // What does something when it is loaded stays as it is.
  const alone = sideEffects === false ? [] : sideEffects.map(inDist)
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
      .map((file) => path.join(root, path.dirname(file)))
      .filter((folder) => readManifest(folder).private !== true)
      .map((folder) => [readManifest(folder).name, folder]),
  )
}

/** Those of them that the package of a folder loads, itself included where it is one. @param folders - of them all */
export function neededFolders(folder: string, folders: ReadonlyMap<string, string>): string[] {
  const needed = new Set<string>()
  const take = (one: string): void => {
    const { name, dependencies = {} } = readManifest(one)
    if (folders.has(name)) needed.add(one)
    for (const other of Object.keys(dependencies)) {
      const below = folders.get(other)
      if (below !== undefined && !needed.has(below)) take(below)
    }
  }
  take(folder)
  return [...needed]
}

/** What an entry of `exports` leads to; a file by itself, such as a schema, is no script. */
function scriptOf(entry: Entry): string[] {
  if (typeof entry === 'string') return []
  const { default: script } = entry
  return typeof script === 'string' ? [script] : []
}

function inDist(file: string): string {
  return path.relative('dist', file)
}

/** What an entry loads for its effect alone, before anything else: the check of Node's version. */
function firstImport(script: string): string | undefined {
  return /^import '([^']+)';$/m.exec(script)?.[1]
}
