import type { Verdict } from '../model/check.ts'

/** A failure that is known. */
export interface Expected {
  readonly id: string
  readonly reason: string
  /** A day, such as `2027-01-31`: from then on it is expected no longer. */
  readonly until?: string
}

/** Marks known failures. One that passes, or whose day is over, fails the run, whatever its level is. */
export function withExpected(
  verdicts: readonly Verdict[],
  expected: readonly Expected[],
  now: Date,
): readonly Verdict[] {
  return verdicts.map((verdict) => {
    const known = expected.find(({ id }) => id === verdict.id)
    if (known === undefined || verdict.outcome === 'error') return verdict
    const { reason: told, until } = known
    const failed = (reason: string): Verdict => ({
      ...verdict,
      level: 'must',
      outcome: 'failed',
      reason,
    })
    if (until !== undefined && !(new Date(until) > now)) {
      return failed(`a failure was expected until ${until}, and is no longer: ${told}`)
    }
    if (verdict.outcome === 'skipped') return verdict
    return verdict.outcome === 'passed'
      ? failed(`it passes, though a failure is expected: ${told}`)
      : { ...verdict, expected: told }
  })
}
