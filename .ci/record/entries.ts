import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { ROOT } from './part.ts'

interface Manifest {
  readonly name: string
  readonly exports?: Readonly<Record<string, { readonly source?: string } | string>>
  readonly bin?: Readonly<Record<string, string>>
}

/** Sources of the entries of the published packages, such as `packages/store/src/redis/index.ts` of `@svc/store/redis`. */
export function entrySources(): ReadonlyMap<string, string> {
  const found = manifests().flatMap(([folder, { name, exports = {} }]) =>
    Object.entries(exports).flatMap(([entry, target]) => {
      const source = typeof target === 'object' ? target.source : undefined
      if (source === undefined) return []
      return [[path.posix.join(name, entry), path.posix.join(folder, source)] as const]
    }),
  )
  return new Map(found)
}

/** Sources of the programs that the packages bring. */
export function programSources(): ReadonlyMap<string, string> {
  const found = manifests().flatMap(([folder, { bin = {} }]) =>
    Object.entries(bin).map(([name, built]) => {
      const source = built.replace('/dist/', '/src/').replace(/\.js$/, '.ts')
      return [name, path.posix.join(folder, source)] as const
    }),
  )
  return new Map(found)
}

function manifests(): (readonly [folder: string, manifest: Manifest])[] {
  return globSync('packages/*/package.json', { cwd: ROOT })
    .toSorted()
    .filter((file) => !file.includes('testkit'))
    .map((file) => {
      const text = readFileSync(path.join(ROOT, file), 'utf8')
      return [path.dirname(file), JSON.parse(text) as Manifest] // manifests of this repository
    })
}
