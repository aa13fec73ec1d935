import { existsSync, globSync, readFileSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'

/** What a manifest says about a package that is packed. */
export interface PackageManifest {
  readonly name: string
  readonly private?: boolean
  readonly exports?: Readonly<Record<string, Entry>>
  readonly publishConfig?: { readonly exports?: Readonly<Record<string, Entry>> }
  readonly bin?: Readonly<Record<string, string>>
  /** Scripts that do something when they are loaded. */
  readonly sideEffects?: false | readonly string[]
  readonly files?: readonly string[]
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

/** A file, or files by condition. */
export type Entry = string | { readonly [condition: string]: Entry }

export function readManifest(folder: string): PackageManifest {
  // A manifest of this repository: it has a name.
  return JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as PackageManifest
}

/** What the tarball of a package will hold, as paths in it. */
export function packageFiles(folder: string, { files = [] }: PackageManifest): string[] {
  const [excluded, wanted] = partition(files)
  const left = new Set(excluded.flatMap((pattern) => filesBelow(folder, pattern)))
  const inside = wanted.flatMap((pattern) => filesBelow(folder, pattern))
  return [...new Set(['package.json', ...inside])].filter((file) => !left.has(file)).toSorted()
}

function partition(patterns: readonly string[]): [excluded: string[], wanted: string[]] {
  return [
    patterns.filter((pattern) => pattern.startsWith('!')).map((pattern) => pattern.slice(1)),
    patterns.filter((pattern) => !pattern.startsWith('!')),
  ]
}

function filesBelow(folder: string, pattern: string): string[] {
  return globSync([pattern, `${pattern}/**`], { cwd: folder })
    .filter((file) => statSync(path.join(folder, file)).isFile())
    .map((file) => file.split(path.sep).join('/'))
}

/** A build keeps declarations of sources that are gone by now; two builds of a commit must not differ in that. */
export function leaveOutStale(folder: string): void {
  const dist = path.join(folder, 'dist')
  for (const file of globSync('**/*.{d.ts,map}', { cwd: dist })) {
    const source = path.join(folder, 'src', file.replace(/\.d\.ts$/, '.ts'))
    if (file.endsWith('.map') || !existsSync(source)) rmSync(path.join(dist, file))
  }
}
