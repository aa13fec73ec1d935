import { execFileSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import path from 'node:path'

/** Where the tarballs are unpacked, and what is made from them. */
export const WORK = path.resolve(import.meta.dirname, '../.generated/api')

interface Manifest {
  readonly name: string
  readonly description: string
  readonly exports: Readonly<Record<string, string | { readonly types?: string }>>
}

/** A way into a package. */
export interface Entry {
  /** How it is imported, such as `@svc/store/redis`. */
  readonly module: string
  readonly manifest: Manifest
  /** Its declarations, in the unpacked tarball. */
  readonly file: string
  /** As TypeDoc names them: below `WORK`, without an ending. */
  readonly declarations: string
  /** Of its page. */
  readonly slug: string
}

/** The ways into the packages of a folder of tarballs, which are unpacked into `WORK`. */
export function unpackEntries(root: string, tarballs: string): Entry[] {
  rmSync(WORK, { recursive: true, force: true })
  // Pages show what an application has beside the packages, too.
  link(path.join(root, 'examples/host'), WORK)
  return globSync('*.tgz', { cwd: tarballs })
    .toSorted()
    .flatMap((file) => unpack(root, path.join(tarballs, file)))
}

function unpack(root: string, tarball: string): Entry[] {
  const folder = path.join(WORK, path.basename(tarball, '.tgz'))
  mkdirSync(folder, { recursive: true })
  execFileSync('tar', ['-xzf', tarball, '-C', folder, '--strip-components=1'])
  // A manifest of this repository.
  const manifest = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as Manifest
  link(path.join(root, 'packages', manifest.name.replace('@svc/', '')), folder)
  return Object.entries(manifest.exports).flatMap(([name, target]) =>
    typeof target === 'string' || target.types === undefined
      ? []
      : [entryOf(manifest, name, path.join(folder, target.types))],
  )
}

/** What declarations name of others is what the repository has installed. */
function link(installed: string, folder: string): void {
  const modules = path.join(installed, 'node_modules')
  mkdirSync(folder, { recursive: true })
  if (existsSync(modules)) symlinkSync(modules, path.join(folder, 'node_modules'))
}

/** Settings of the compiler under which every entry is found by its name. */
export function compilerSettings(entries: readonly Entry[], lib: readonly string[]) {
  return {
    compilerOptions: {
      module: 'nodenext',
      target: 'es2024',
      lib,
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      types: ['node'],
      typeRoots: [path.join(entries[0]?.file ?? '', '../../node_modules/@types')],
      paths: Object.fromEntries(entries.map(({ module, file }) => [module, [file]])),
    },
  }
}

function entryOf(manifest: Manifest, name: string, file: string): Entry {
  const module = path.posix.join(manifest.name, name)
  const declarations = path.relative(WORK, file).replace(/(?:\/index)?\.d\.ts$/, '')
  return {
    module,
    manifest,
    file,
    declarations,
    slug: `reference/api/${module.replace('@svc/', '')}`,
  }
}
