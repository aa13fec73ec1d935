import { globSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { Ajv, type ValidateFunction } from 'ajv'
import { publicPackages, runPnpm } from '../../packages/testkit/src/packed-packages.ts'
import { foreignLicences } from '../bundle/licences.ts'
import { readSbom, type Sbom, type SbomComponent, writeSettled } from '../bundle/sbom.ts'

/** As pnpm writes it when nobody says otherwise. */
const VERSION = '1.7'

const DATE = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/
const TIME = /^(?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i
/** The formats that the schema names. */
const FORMATS = {
  date: DATE,
  'date-time': (text: string): boolean => {
    const [date = '', time = ''] = text.split(/[Tt]/)
    return DATE.test(date) && TIME.test(time)
  },
  'idn-email': /^[^\s@]+@[^\s@]+$/,
  // Relative, too: of an address it only may not have what no address has.
  'iri-reference': (text: string): boolean =>
    !/[\s<>"{}|\\^`]/.test(text) && URL.canParse(text, 'https://example.com/'),
  uri: (text: string): boolean => URL.canParse(text),
} as const

/**
 * Writes the SBOM of each public package, by pnpm, in the form of CycloneDX; the same at each run on a commit.
 * @param folder - gets `svc-store.cdx.json` and the like; what is there already goes
 * @param time - of the commit, seconds
 * @returns the files, absolute, sorted
 */
export function writeSboms(root: string, folder: string, time: number): string[] {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const filters = publicPackages(root).flatMap(({ name }) => ['--filter', name])
  const form = ['--sbom-format', 'cyclonedx', '--sbom-spec-version', VERSION]
  const out = ['--split', '--out', path.join(folder, '%s.cdx.json')]
  runPnpm([...filters, 'sbom', '--prod', ...form, '--sbom-type', 'library', ...out], root)
  const files = globSync('*.cdx.json', { cwd: folder }).toSorted()
  for (const file of files.map((name) => path.join(folder, name))) {
    writeSettled(file, readSbom(file), time)
  }
  return files.map((name) => path.join(folder, name))
}

/** Holds SBOMs against the schema of CycloneDX, and against the packages that they are of. */
export function sbomFaults(root: string, files: readonly string[]): string[] {
  const isValid = schemaCheck()
  const names = new Set(files.map((file) => path.basename(file)))
  return [
    ...publicPackages(root).flatMap(({ name, version }) => {
      const file = `${name.slice(1).replace('/', '-')}.cdx.json`
      return names.has(file)
        ? ownFaults(name, version, readSbom(files.find((each) => each.endsWith(`/${file}`)) ?? ''))
        : [`${name} has no SBOM.`]
    }),
    ...files.flatMap((file) => {
      if (isValid(readSbom(file))) return []
      const { instancePath = '', message = '' } = isValid.errors?.[0] ?? {}
      return [`${path.basename(file)} is no CycloneDX ${VERSION}: ${instancePath} ${message}.`]
    }),
  ]
}

function ownFaults(name: string, version: string, sbom: Sbom): string[] {
  const own = sbom.metadata.component['bom-ref']
  const wanted = `pkg:npm/${name.replace('@', '%40')}@${version}`
  const known = new Set([own, ...sbom.components.map((component) => component['bom-ref'])])
  const unknown = sbom.dependencies
    .flatMap(({ ref, dependsOn = [] }) => [ref, ...dependsOn])
    .find((ref) => !known.has(ref))
  return [
    ...(own === wanted ? [] : [`The SBOM of ${name} is of ${String(own)}.`]),
    ...(unknown === undefined
      ? []
      : [`The SBOM of ${name} names ${unknown} and does not list it.`]),
  ]
}

/** Of all parts of the SBOMs: `name@version licence`, sorted; and a fault for each licence that is not on the list. */
export function licencesOf(files: readonly string[]): {
  readonly lines: readonly string[]
  readonly faults: readonly string[]
} {
  const parts = files.flatMap((file) => readSbom(file).components).map(licenceOf)
  const lines = parts.map(({ name, version, license }) => `${name}@${version} ${license}`)
  return {
    lines: [...new Set(lines)].toSorted(),
    faults: [...new Set(foreignLicences(parts))].toSorted(),
  }
}

function licenceOf({ 'bom-ref': ref, licenses = [], version }: SbomComponent): {
  readonly name: string
  readonly version: string
  readonly license: string
} {
  const texts = licenses.map(
    ({ license, expression }) => expression ?? license?.id ?? license?.name,
  )
  return {
    name: decodeURIComponent(ref.slice('pkg:npm/'.length, ref.lastIndexOf('@'))),
    version,
    license: texts.join(' AND ') || 'none',
  }
}

/** Draft 7 of JSON Schema, as the project of CycloneDX publishes it for its forms. */
function schemaCheck(): ValidateFunction {
  const manifest = createRequire(import.meta.url).resolve(
    '@cyclonedx/cyclonedx-library/package.json',
  )
  const read = (name: string): object => {
    const file = path.join(path.dirname(manifest), 'res/schema', `${name}.SNAPSHOT.schema.json`)
    return JSON.parse(readFileSync(file, 'utf8')) as object // a schema
  }
  const ajv = new Ajv({ strict: false, formats: FORMATS })
  for (const name of ['spdx', 'jsf-0.82', 'cryptography-defs']) {
    ajv.addSchema(read(name), `http://cyclonedx.org/schema/${name}.SNAPSHOT.schema.json`)
  }
  return ajv.compile(read(`bom-${VERSION}`))
}
