import { readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { PackedPackage } from '../../packages/testkit/src/packed-packages.ts'
import { type BundledPackage, filesOf, findPackage, readPackage } from '../bundle/packages.ts'
import { growthFaults } from './growth.ts'
import { packageFiles, readManifest } from './package-files.ts'

const FILE = path.join(import.meta.dirname, 'figures.json')
/** Writes the figures as somebody looked at them. */
const WRITE = 'pnpm run pack --write-figures'

/** What it costs to install a package alone. */
export interface PackageSize {
  /** Packages that are installed, itself included, without optional ones: those are native, and none is needed. */
  readonly packages: number
  /** Of all their files. */
  readonly bytes: number
  /** Of its own tarball. */
  readonly tarball: number
}

/** What none may be above, whoever looked. @see docs/decisions/0673 */
export interface SizeBounds {
  readonly tarball: number
  readonly packages?: number
}

type Sizes = Readonly<Record<string, PackageSize>>

/** @param root - of the workspace, built: its installation has the versions that its lock file names */
export function measureSizes(root: string, packed: readonly PackedPackage[]): Sizes {
  return Object.fromEntries(
    packed.map(({ name, file }) => {
      const installed = installedWith(root, name)
      const bytes = installed.flatMap((one) => sizesOfFiles(root, one))
      return [
        name,
        {
          packages: installed.length,
          bytes: bytes.reduce((sum, size) => sum + size, 0),
          tarball: statSync(file).size,
        },
      ]
    }),
  )
}

/** As somebody looked at them last. */
export function knownSizes(): Sizes {
  return JSON.parse(readFileSync(FILE, 'utf8')) as Sizes // written by `writeSizes`
}

export function writeSizes(sizes: Sizes): void {
  writeFileSync(FILE, `${JSON.stringify(sizes, undefined, 2)}\n`)
}

/** A sentence for each figure that grew by too much or is above its bound. */
export function sizeFaults(sizes: Sizes, known: Sizes): string[] {
  return Object.entries(sizes).flatMap(([name, now]) => {
    const before = known[name] ?? { packages: 0, bytes: 0, tarball: 0 }
    const bounds = boundsOf(name)
    return [
      ...growthFaults(`packages of ${name}`, now.packages, before.packages, WRITE),
      ...growthFaults(`bytes of ${name} with all that it needs`, now.bytes, before.bytes, WRITE),
      ...growthFaults(`bytes of the tarball of ${name}`, now.tarball, before.tarball, WRITE),
      ...boundFaults(`The tarball of ${name}`, 'bytes', now.tarball, bounds.tarball),
      ...boundFaults(`${name} alone`, 'packages', now.packages, bounds.packages),
    ]
  })
}

/**
 * The package with the pages, their scripts and its two apps may be larger; the ground floor and the contract may bring
 * little. @see docs/decisions/0673
 */
export function boundsOf(name: string): SizeBounds {
  switch (name) {
    case '@svc/auth-ui':
      return { tarball: 700_000 }
    case '@svc/contract':
      return { tarball: 300_000, packages: 30 }
    case '@svc/store':
      return { tarball: 300_000, packages: 16 }
    default:
      return { tarball: 300_000 }
  }
}

/** A sentence for each package that would run something when it is installed with one of ours. */
export function installScriptFaults(root: string, names: readonly string[]): string[] {
  const all = names.flatMap((name) => installedWith(root, name))
  const faults = all.flatMap(({ name, version, installScripts }) =>
    installScripts.map((script) => `${name}@${version} has an install script: ${script}.`),
  )
  return [...new Set(faults)]
}

function boundFaults(what: string, unit: string, now: number, most: number | undefined): string[] {
  return most === undefined || now <= most
    ? []
    : [`${what} has ${now} ${unit}, and ${most} are enough.`]
}

/** A package of the workspace and all that its installation brings. */
function installedWith(root: string, name: string): BundledPackage[] {
  const own = path.join(root, 'packages', name.slice('@svc/'.length))
  const folders = new Set([realpathSync(own)])
  const installed: BundledPackage[] = []
  for (const folder of folders) {
    const one = readPackage(folder)
    installed.push(one)
    for (const dependency of one.dependencies) {
      const found = findPackage(dependency, folder)
      if (found !== undefined) folders.add(realpathSync(found))
    }
  }
  return installed
}

/** Of a package of the workspace, what its tarball holds. */
function sizesOfFiles(root: string, { folder }: BundledPackage): number[] {
  const isOurs = path.dirname(folder) === realpathSync(path.join(root, 'packages'))
  const files = isOurs
    ? packageFiles(folder, readManifest(folder)).map((file) => path.join(folder, file))
    : filesOf(folder)
  return files.map((file) => statSync(file).size)
}
