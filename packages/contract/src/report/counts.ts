import type { Outcome, Verdict } from '../model/check.ts'
import type { Report } from '../run/options.ts'

export const EXIT = { passed: 0, failed: 1, cannotRun: 2, notRemoved: 3 } as const

/** How often each outcome came. */
export function countsOf(verdicts: readonly Verdict[]): Readonly<Record<Outcome, number>> {
  const counts: Record<Outcome, number> = {
    passed: 0,
    failed: 0,
    warning: 0,
    inconclusive: 0,
    error: 0,
    skipped: 0,
  }
  for (const { outcome } of verdicts) counts[outcome]++
  return counts
}

/** Whether a verdict ends a run with 1. */
export function isFailure({ outcome, expected, level }: Verdict): boolean {
  if (expected !== undefined) return false
  return outcome === 'failed' || (outcome === 'inconclusive' && level === 'must')
}

/** What the process ends with. A scenario that stopped leaves rules unasked: that is no pass. */
export function exitCodeOf({ verdicts, remaining, recording }: Report): number {
  if (remaining.length > 0) return EXIT.notRemoved
  if (verdicts.some(isFailure)) return EXIT.failed
  const hasFault = verdicts.some(({ outcome }) => outcome === 'error')
  const known = new Set(
    verdicts.flatMap(({ expected, group }) =>
      expected === undefined ? [] : [group.toLowerCase()],
    ),
  )
  // What is known to fail may end the scenarios of its group, and of no other one.
  const hasStopped = Object.keys(recording.stopped).some(
    (scenario) => !known.has(scenario.split('.', 1)[0] ?? ''),
  )
  return hasFault || hasStopped ? EXIT.cannotRun : EXIT.passed
}

/** How many musts passed, and how many were judged. */
export function mustsOf(verdicts: readonly Verdict[]): {
  readonly passed: number
  readonly all: number
} {
  const musts = verdicts.filter(({ level, outcome }) => level === 'must' && outcome !== 'skipped')
  return { passed: musts.filter(({ outcome }) => outcome === 'passed').length, all: musts.length }
}
