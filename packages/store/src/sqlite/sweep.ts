import type { Clock } from '../clock.ts'
import { describeError } from '../describe-error.ts'
import type { StoreEventLog } from '../log/store-log.ts'
import type { WriteBatch } from './write-batch.ts'

/** Between two looks. */
const PERIOD_MS = 30_000
/** Between two batches while there is more to sweep. */
const PAUSE_MS = 50
/** Rows a batch takes from each table: a few milliseconds at most. */
const AT_MOST = 250
/** Nothing is swept before it has been dead this long: a clock may step back a little. */
const MARGIN_MS = 60_000

/** Deletes what expired, in small batches, so that no turn is long. The answered function stops it. */
export function startSweeping(options: {
  readonly tables: readonly { sweep(before: number, atMost: number): number }[]
  readonly batch: WriteBatch
  readonly clock: Clock
  readonly log: StoreEventLog
}): () => void {
  const { tables, batch, clock, log } = options
  let timer: NodeJS.Timeout | undefined
  let isStopped = false

  function arm(waitMs: number): void {
    if (isStopped) return
    timer = setTimeout(() => void sweep(), waitMs)
    timer.unref()
  }

  async function sweep(): Promise<void> {
    try {
      const before = clock.now() - MARGIN_MS
      const swept = await batch.run(() => tables.map((table) => table.sweep(before, AT_MOST)))
      arm(swept.includes(AT_MOST) ? PAUSE_MS : PERIOD_MS)
    } catch (error) {
      const cause = describeError(error)
      log.error({ event: 'store.sweep_failed', cause }, 'expired records cannot be swept')
      arm(PERIOD_MS)
    }
  }

  arm(PERIOD_MS)
  return () => {
    isStopped = true
    clearTimeout(timer)
  }
}
