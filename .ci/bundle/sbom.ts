import { createHash } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { runPnpm } from '../../packages/testkit/src/packed-packages.ts'
import type { BundledPackage } from './packages.ts'

interface Sbom {
  serialNumber: string
  metadata: { timestamp: string; component: Record<string, unknown> }
  components: { readonly 'bom-ref': string }[]
  dependencies: { readonly ref: string; readonly dependsOn?: readonly string[] }[]
}

/**
 * Writes `sbom.json`, CycloneDX as pnpm makes it, of what is in the bundle. Its time is that of the commit and its number
 * follows from its content: it is the same however often it is made.
 */
export function writeSbom(
  root: string,
  folder: string,
  made: { version: string; commitTime: number; packages: readonly BundledPackage[] },
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
  const sbom = JSON.parse(readFileSync(file, 'utf8')) as Sbom // CycloneDX
  const own = sbom.metadata.component['bom-ref'] as string // every component has one
  const kept = new Set([own, ...made.packages.map(refOf)])
  sbom.components = sbom.components.filter((component) => kept.has(component['bom-ref']))
  sbom.dependencies = sbom.dependencies
    .filter(({ ref }) => kept.has(ref))
    .map(({ ref, dependsOn = [] }) => ({
      ref,
      dependsOn: dependsOn.filter((each) => kept.has(each)).toSorted(),
    }))
  sbom.components.sort(byText(({ 'bom-ref': ref }) => ref))
  sbom.dependencies.sort(byText(({ ref }) => ref))
  Object.assign(sbom.metadata.component, { version: made.version })
  sbom.metadata.timestamp = new Date(made.commitTime * 1000).toISOString()
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
