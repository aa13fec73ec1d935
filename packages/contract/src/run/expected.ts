import type { Verdict } from '../model/check.ts'

/** A failure that is known. */
export interface Expected {
  readonly id: string
  readonly reason: string
  /** A day, such as `2027-01-31`: from then on it is expected no longer. */
  readonly until?: string
}

/** Marks known failures. One that passes, or whose day is over, fails the run. */
export function withExpected(
  verdicts: readonly Verdict[],
  expected: readonly Expected[],
  now: Date,
): readonly Verdict[] {
  return verdicts.map((verdict) => {
    const known = expected.find(({ id }) => id === verdict.id)
    if (known === undefined || verdict.outcome === 'skipped') return verdict
    const isOver = known.until !== undefined && new Date(known.until) <= now
    if (verdict.outcome === 'passed') {
      const reason = `it passes, though a failure is expected: ${known.reason}`
      return { ...verdict, level: 'must', outcome: 'failed', reason }
    }
    return isOver ? verdict : { ...verdict, expected: known.reason }
  })
}
