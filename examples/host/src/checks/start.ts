import type { HostLog } from '../log/log.ts'
import { type Check, type CheckContext, type CheckResult, runChecks } from './check.ts'
import { FILE_CHECKS } from './files.ts'
import { mailUnset } from './mail.ts'
import { clockRedis, REDIS_CHECKS } from './redis.ts'
import { clockBack } from './clock.ts'
import { devPages } from './dev-pages.ts'

/** A start that must not go on; another one would not help. */
export class StartError extends Error {
  override readonly name: string = 'StartError'
  readonly results: readonly CheckResult[]

  constructor(results: readonly CheckResult[]) {
    const lines = results.map(({ id, text, remedy = '' }) =>
      `  - ${id}: ${text} ${remedy}`.trimEnd(),
    )
    super(`the server does not start:\n${lines.join('\n')}`)
    this.results = results
  }
}

/** What is looked at together; the faults of one step are told at once. @see operation.md 2.1 */
export const START_STEPS: Readonly<
  Record<'clock' | 'files' | 'redis' | 'settings', readonly Check[]>
> = {
  files: FILE_CHECKS,
  clock: [clockBack, clockRedis],
  redis: REDIS_CHECKS,
  settings: [mailUnset(false), devPages],
}

/**
 * Runs one step: warnings go to the log.
 * @throws StartError with every fault of the step
 */
export async function checkStep(
  checks: readonly Check[],
  context: CheckContext,
  log: Pick<HostLog, 'warn'>,
): Promise<void> {
  const results = await runChecks(checks, context)
  for (const { id, state, text, remedy } of results) {
    if (state === 'warning') log.warn('check.warning', { check: id, text, remedy })
  }
  const faults = results.filter(({ state }) => state === 'fault')
  if (faults.length > 0) throw new StartError(faults)
}
