import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'

/** A package as it is installed in the bundle. */
export interface BundledPackage {
  readonly name: string
  readonly version: string
  /** As its manifest says it; old manifests hold an object, or a list of them. */
  readonly license: string | undefined
  readonly dependencies: readonly string[]
  /** What it runs when it is installed: the names of its scripts. */
  readonly installScripts: readonly string[]
  /** Absolute path. */
  readonly folder: string
}

const INSTALL_SCRIPTS = ['preinstall', 'install', 'postinstall']

interface Manifest {
  readonly name: string
  readonly version: string
  readonly license?: string | { readonly type: string }
  readonly licenses?: readonly { readonly type: string }[]
  readonly dependencies?: Readonly<Record<string, string>>
  readonly scripts?: Readonly<Record<string, string>>
}

/** Every package below a `node_modules`, those inside others included, by name and version. */
export function bundledPackages(modules: string): BundledPackage[] {
  return packageFolders(modules)
    .map(readPackage)
    .toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1))
}

function packageFolders(modules: string): string[] {
  return globSync(['*', '@*/*'], { cwd: modules })
    .map((name) => path.join(modules, name))
    .filter((folder) => existsSync(path.join(folder, 'package.json')))
    .flatMap((folder) => {
      const inner = path.join(folder, 'node_modules')
      return [folder, ...(existsSync(inner) ? packageFolders(inner) : [])]
    })
}

/** @param folder - of an installed package; absolute */
export function readPackage(folder: string): BundledPackage {
  // npm lets nothing be published without a name and a version.
  const manifest = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as Manifest
  const { name, version, license, licenses, dependencies = {}, scripts = {} } = manifest
  return {
    name,
    version,
    license:
      (typeof license === 'string' ? license : license?.type) ??
      licenses?.map(({ type }) => type).join(' OR '),
    dependencies: Object.keys(dependencies),
    installScripts: INSTALL_SCRIPTS.filter((script) => script in scripts),
    folder,
  }
}

function keyOf({ name, version }: BundledPackage): string {
  return `${name}@${version}`
}

/** Where a package is found from a folder, as Node looks for it; undefined: it is not installed. */
export function findPackage(name: string, from: string): string | undefined {
  for (let folder = from; folder !== path.dirname(folder); folder = path.dirname(folder)) {
    if (path.basename(folder) === 'node_modules') continue
    const found = path.join(folder, 'node_modules', name)
    if (existsSync(path.join(found, 'package.json'))) return found
  }
  return undefined
}

/** Files of a package or of the bundle itself, without those of packages inside it. */
export function filesOf(folder: string): string[] {
  return globSync('**/*', { cwd: folder, exclude: (name) => name === 'node_modules' })
    .map((file) => path.join(folder, file))
    .filter((file) => statSync(file).isFile())
}
