import { createHash } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { runPnpm } from '../../packages/testkit/src/packed-packages.ts'
import type { BundledPackage } from './packages.ts'

/** A list of parts in the form of CycloneDX: what of it is changed or read here. */
export interface Sbom {
  serialNumber: string
  metadata: { timestamp: string; component: Record<string, unknown> }
  components: SbomComponent[]
  dependencies: { readonly ref: string; readonly dependsOn?: readonly string[] }[]
}

export interface SbomComponent {
  readonly 'bom-ref': string
  readonly group?: string
  readonly name: string
  readonly version: string
  readonly licenses?: readonly {
    readonly license?: { readonly id?: string; readonly name?: string }
    readonly expression?: string
  }[]
}

/** Writes `sbom.json`, CycloneDX as pnpm makes it, of what is in the bundle. */
export function writeSbom(
  root: string,
  folder: string,
  made: { version: string; time: number; packages: readonly BundledPackage[] },
): void {
  const file = path.join(folder, 'sbom.json')
  rmSync(file, { force: true })
  runPnpm(
    [
      '--filter',
      '@svc/example-host',
      'sbom',
      '--prod',
      '--sbom-format',
      'cyclonedx',
      '--sbom-type',
      'application',
      '--out',
      file,
    ],
    root,
  )
  const sbom = readSbom(file)
  const own = sbom.metadata.component['bom-ref'] as string // every component has one
  const kept = new Set([own, ...made.packages.map(refOf)])
  sbom.components = sbom.components.filter((component) => kept.has(component['bom-ref']))
  sbom.dependencies = sbom.dependencies
    .filter(({ ref }) => kept.has(ref))
    .map(({ ref, dependsOn = [] }) => ({
      ref,
      dependsOn: dependsOn.filter((each) => kept.has(each)),
    }))
  Object.assign(sbom.metadata.component, { version: made.version })
  writeSettled(file, sbom, made.time)
}

export function readSbom(file: string): Sbom {
  return JSON.parse(readFileSync(file, 'utf8')) as Sbom // CycloneDX, as pnpm wrote it
}

/**
 * Writes it so that it is the same however often it is made: its time is that of the commit, its number follows from its
 * content, and its parts are sorted.
 * @param time - of the commit, seconds
 */
export function writeSettled(file: string, sbom: Sbom, time: number): void {
  sbom.components.sort(byText(({ 'bom-ref': ref }) => ref))
  sbom.dependencies = sbom.dependencies
    .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.toSorted() }))
    .toSorted(byText(({ ref }) => ref))
  sbom.metadata.timestamp = new Date(time * 1000).toISOString()
  sbom.serialNumber = ''
  sbom.serialNumber = `urn:uuid:${uuidOf(JSON.stringify(sbom))}`
  writeFileSync(file, `${JSON.stringify(sbom, undefined, 2)}\n`)
}

function refOf({ name, version }: BundledPackage): string {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`
}

function byText<T>(textOf: (value: T) => string): (one: T, other: T) => number {
  return (one, other) => (textOf(one) < textOf(other) ? -1 : 1)
}

/** A UUID of a text, version 8: made by a rule of one's own. */
function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex')
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
  ]
  return [...parts, hex.slice(20, 32)].join('-')
}
