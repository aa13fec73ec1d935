import type { Figure } from './figure.ts'
import type { Figures, TokenFigures } from './token-bench.ts'

const RATIO_TARGETS = { refresh: 1.2, exchange: 1 } as const
/** Of the bare engine's, whose commits are serial. */
const THROUGHPUT_TARGET = 1.5
/** Of the same without the record. @see owner.md 5.10 */
const RECORD_TARGET = 1.05

/** Ours against the bare engine: cost by the CPU time of the server process, and on SQLite the rate of exchanges. */
export function toFigures({
  store,
  grant,
  measured: ours,
  reference: bare,
}: TokenFigures): readonly Figure[] {
  const ratio = bare.cpuUs / ours.cpuUs
  const cost: Figure = {
    name: `${grant} on ${store}, CPU time`,
    value: toText(ours),
    reference: `bare ${toText(bare)}`,
    ratio,
    target: `ratio ≥ ${RATIO_TARGETS[grant].toFixed(1)}`,
    isMet: ratio >= RATIO_TARGETS[grant],
  }
  if (grant !== 'exchange' || store !== 'sqlite') return [cost]
  const rates = ours.requestsPerSecond / bare.requestsPerSecond
  const rate: Figure = {
    name: `${grant} on ${store}, throughput`,
    value: `${ours.requestsPerSecond.toFixed(0)}/s`,
    reference: `bare ${bare.requestsPerSecond.toFixed(0)}/s`,
    ratio: rates,
    target: `ratio ≥ ${THROUGHPUT_TARGET}`,
    isMet: rates >= THROUGHPUT_TARGET,
  }
  return [cost, rate]
}

/** What the record of activity adds to the CPU time of the server process. */
export function toRecordFigure({ store, grant, measured, reference, share }: TokenFigures): Figure {
  return {
    name: `${grant} on ${store} with the record of activity`,
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
