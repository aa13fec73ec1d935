import type { Figure } from './figure.ts'
import type { Figures, PairFigures } from './pair-bench.ts'

/** What the package was once beside the bare engine, less what two runs of a shared machine differ by. */
const NOISE = 0.95
const PACKAGE_TARGETS: Readonly<Record<string, number>> = {
  'refresh on sqlite': 2.06 * NOISE,
  'refresh on redis': 1.47 * NOISE,
  'exchange on sqlite': 1.82 * NOISE,
  'exchange on redis': 1.88 * NOISE,
}
/** Of the bare engine's, whose commits are serial. */
const THROUGHPUT_TARGET = 1.5
/** Of the same without the record. @see owner.md 5.10 */
const RECORD_TARGET = 1.05

export interface Judgement {
  readonly name: string
  /** What the reference is. */
  readonly beside: string
  /** Least ratio of CPU time. Absent: told for comparison only. */
  readonly target?: number
}

/** The CPU time of the server process a request, above 1 when it is less than the reference's. */
export function toCostFigure({ measured, reference }: PairFigures, judged: Judgement): Figure {
  const { name, beside, target } = judged
  const ratio = reference.cpuUs / measured.cpuUs
  return {
    name,
    value: toText(measured),
    reference: `${beside} ${toText(reference)}`,
    ratio,
    ...(target !== undefined && { target: `ratio ≥ ${target.toFixed(2)}` }),
    isMet: target === undefined || ratio >= target,
  }
}

/** How many a second, by those of the reference. */
export function toRateFigure({ measured, reference }: PairFigures, judged: Judgement): Figure {
  const { name, beside, target } = judged
  const ratio = measured.requestsPerSecond / reference.requestsPerSecond
  return {
    name,
    value: `${measured.requestsPerSecond.toFixed(0)}/s`,
    reference: `${beside} ${reference.requestsPerSecond.toFixed(0)}/s`,
    ratio,
    ...(target !== undefined && { target: `ratio ≥ ${target.toFixed(2)}` }),
    isMet: target === undefined || ratio >= target,
  }
}

/** Ours against the bare engine: cost by the CPU time of the server process, and on SQLite the rate of exchanges. */
export function toFigures(figures: PairFigures): readonly Figure[] {
  const { store, job } = figures
  const row = `${job} on ${store}`
  const target = PACKAGE_TARGETS[row]
  const beside = 'bare'
  const cost = toCostFigure(figures, {
    name: `package, ${row}, CPU time`,
    beside,
    ...(target !== undefined && { target }),
  })
  if (row !== 'exchange on sqlite') return [cost]
  const name = `package, ${row}, throughput`
  return [cost, toRateFigure(figures, { name, beside, target: THROUGHPUT_TARGET })]
}

/** What the record of activity adds to the CPU time of the server process. */
export function toRecordFigure({ store, job, measured, reference, share }: PairFigures): Figure {
  return {
    name: `${job} on ${store} with the record of activity`,
    value: toText(measured),
    reference: `without ${toText(reference)}`,
    ratio: 1 / share,
    target: '≤ 5 % more',
    isMet: share <= RECORD_TARGET,
  }
}

function toText({ cpuUs, requestsPerSecond, p99Ms }: Figures): string {
  return `${cpuUs.toFixed(0)} us (${requestsPerSecond.toFixed(0)}/s, p99 ${p99Ms.toFixed(1)} ms)`
}
