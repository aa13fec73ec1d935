/**
 * Holds what is public to the last release: whatever changed has to be named by a changeset. The workspace is built
 * before.
 *
 *   node --conditions=source .ci/public/main.ts [--write | --released]
 *
 * `--write` writes the reports on the declarations, `docs/reference/api-report/`. `--released` notes the surface that is
 * being released, `docs/reference/public.json`; it is refused while there are changesets. Exit code 1 when a report is
 * stale, or a change is named nowhere. @see docs/stability.md
 */
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { version } from '../../docs/build/routes.ts'
import { apiReports, staleReports, writeReports } from './api-reports.ts'
import { readChangeset, type ReleasedSurface, unnamedChanges } from './changes.ts'
import { publicSurface } from './surface.ts'

const ROOT = path.resolve(import.meta.dirname, '../..')
const FILE = path.join(ROOT, 'docs/reference/public.json')
const REPORTS = path.join(ROOT, 'docs/reference/api-report')

const { values } = parseArgs({
  options: {
    write: { type: 'boolean', default: false },
    released: { type: 'boolean', default: false },
  },
})

const work = mkdtempSync(path.join(tmpdir(), 'svc-public-'))
try {
  const faults = await look()
  for (const fault of faults) process.stderr.write(`${fault}\n`)
  if (faults.length > 0) process.exitCode = 1
} finally {
  rmSync(work, { recursive: true, force: true })
}

async function look(): Promise<string[]> {
  const reports = apiReports(ROOT, work)
  const surface = await publicSurface(ROOT, reports)
  const changesets = globSync('.changeset/*.md', { cwd: ROOT })
    .toSorted()
    .map((file) => readChangeset(file, readFileSync(path.join(ROOT, file), 'utf8')))
  if (values.write || values.released) writeReports(REPORTS, reports)
  if (values.released) {
    // The first surface is noted while changesets wait for the first release.
    if (existsSync(FILE) && changesets.length > 0) {
      return [`${changesets[0]?.file} is not released yet: run changeset version first`]
    }
    const released: ReleasedSurface = { version: version(), surface }
    writeFileSync(FILE, `${JSON.stringify(released, undefined, 2)}\n`)
    return []
  }
  const released = JSON.parse(readFileSync(FILE, 'utf8')) as ReleasedSurface // written above
  return [
    ...staleReports(REPORTS, reports).map(
      (file) => `docs/reference/api-report/${file} is stale: run pnpm run public`,
    ),
    ...(released.version === version()
      ? []
      : [`docs/reference/public.json is of ${released.version}: run pnpm run public --released`]),
    ...unnamedChanges(released.surface, surface, changesets),
  ]
}
