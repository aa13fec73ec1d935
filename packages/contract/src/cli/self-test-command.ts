import { checksOf } from '../groups/catalogue.ts'
import { PROFILES } from '../profiles/profiles.ts'
import { EXIT } from '../report/counts.ts'
import { CannotRun, type Report } from '../run/run.ts'
import { selfTest } from '../self-test/matrix.ts'
import type { Terminal } from './terminal.ts'

/** Most checks that may pass whatever is broken in one answer. */
const MOST_BLIND = 0

/** Breaks each answer of a saved run, and prints which check noticed what. */
export async function runSelfTest(report: Report, { out, err }: Terminal): Promise<number> {
  const profile = PROFILES.find(({ name }) => name === report.profile)
  if (profile === undefined) throw new CannotRun(`There is no profile ${report.profile}.`)
  const { noticed, blind } = await selfTest(checksOf(profile, {}), report.recording, profile)
  for (const { check, family, mutation, said } of noticed) {
    out(`${check}\t${family}\t${mutation}\t${said}\n`)
  }
  for (const id of blind) err(`${id} passes whatever is broken\n`)
  out(`${noticed.length} checks noticed what was broken, ${blind.length} did not.\n`)
  return blind.length > MOST_BLIND ? EXIT.failed : EXIT.passed
}
