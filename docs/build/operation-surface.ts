import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { listEntries } from '../../examples/host/src/config/entries.ts'
import { LOG_EVENTS } from '../../examples/host/src/log/log-events.ts'
import { METRICS } from '../../examples/host/src/monitoring/metric-table.ts'
import { STORE_VERSIONS } from '../../examples/host/src/processes/store-versions.ts'
import { ROOT } from './document.ts'

/** What operators build on, name by name, each with all of it that they may rely on. */
type Surface = Readonly<Record<string, string>>

/** The surface of the version that was released last, as it is checked in. */
export interface ReleasedSurface {
  readonly version: string
  readonly surface: Surface
}

const FILE = 'docs/reference/operation-surface.json'
const CHANGES = 'CHANGELOG.md'
const FIXTURES = 'examples/host/test/fixtures/versions'
const STORE_VERSION = 'store version'

/** What the changes of each version say, even when that is "nothing". @see operation.md 5.7 */
const SECTIONS = [
  'Store version',
  'Rolling upgrade',
  'Options',
  'Log events and metrics',
  'What owners will notice',
  'Security',
] as const

/** The store version, the defaults of the options, the log events and the metrics as they are now. */
export function operationSurface(): Surface {
  const options = listEntries().map(({ env, entry }): [string, string] => [
    env,
    `option, default ${JSON.stringify(entry.default ?? entry.defaultText ?? null)}`,
  ])
  const events = Object.entries(LOG_EVENTS).map(([name, row]): [string, string] => {
    const fields = Object.entries(row.fields ?? {}).map(([field, type]) => `${field}: ${type}`)
    return [name, `event, ${[row.level, ...(row.audit ? ['audit'] : []), ...fields].join(', ')}`]
  })
  const metrics = Object.entries(METRICS).map(([name, { type, labels = [] }]): [string, string] => [
    name,
    `metric, ${[type, ...labels].join(', ')}`,
  ])
  return Object.fromEntries([
    [STORE_VERSION, String(STORE_VERSIONS.writes)],
    ...options,
    ...events,
    ...metrics,
  ])
}

/** Notes the surface of a version that is being released. */
export function recordSurface(version: string): void {
  const released: ReleasedSurface = { version, surface: operationSurface() }
  writeFileSync(path.join(ROOT, FILE), `${JSON.stringify(released, null, 2)}\n`)
}

/** What CHANGELOG.md does not say, and what a release left out. */
export function changelogFaults(): string[] {
  const file = path.join(ROOT, FILE)
  const text = existsSync(file) ? readFileSync(file, 'utf8') : 'null'
  const released = JSON.parse(text) as ReleasedSurface | null // written by `recordSurface`
  const changes = readFileSync(path.join(ROOT, CHANGES), 'utf8')
  const hasFixture = (version: string): boolean =>
    existsSync(path.join(ROOT, FIXTURES, version, 'about.json'))
  return findChangelogFaults({ released, surface: operationSurface(), changes, hasFixture })
}

/** @param changes - the text of CHANGELOG.md: `## Unreleased`, then a `## x.y.z` for each version, newest first */
export function findChangelogFaults({
  released,
  surface,
  changes,
  hasFixture,
}: {
  readonly released: ReleasedSurface | null
  readonly surface: Surface
  readonly changes: string
  readonly hasFixture: (version: string) => boolean
}): string[] {
  const versions = new Map(
    changes
      .split(/^## /m)
      .slice(1)
      .map((part) => [part.split(/[\s\n]/, 1)[0] ?? '', part]),
  )
  const names = [...versions.keys()].filter((name) => /^\d+\.\d+\.\d+/.test(name))
  const faults = [...versions].flatMap(([name, part]) =>
    SECTIONS.filter((section) => !part.includes(`\n### ${section}\n`)).map(
      (section) => `${CHANGES}: ${name} has no section "${section}"`,
    ),
  )
  for (const name of names) {
    // Patch versions never change what is stored.
    const minor = name.replace(/^(\d+\.\d+)\..*$/, '$1.0')
    if (!hasFixture(minor)) faults.push(`${CHANGES}: ${minor} has nothing kept in ${FIXTURES}`)
  }
  const [newest] = names
  if (newest === undefined) return faults
  if (released?.version !== newest) {
    return [...faults, `${FILE} is not of ${newest}: run pnpm run docs --released ${newest}`]
  }
  const said = versions.get('Unreleased') ?? ''
  const all = new Set([...Object.keys(surface), ...Object.keys(released.surface)])
  for (const name of all) {
    const [before = 'absent', now = 'absent'] = [released.surface[name], surface[name]]
    if (before !== now && !isSaid(said, name, now)) {
      faults.push(
        `${CHANGES}: Unreleased does not say that ${name} was "${before}", and is "${now}"`,
      )
    }
  }
  return faults
}

function isSaid(text: string, name: string, now: string): boolean {
  if (name !== STORE_VERSION) return text.includes(`\`${name}\``)
  return new RegExp(`\\n### Store version\\n[^#]*\\bto ${now}\\b`).test(text)
}
