import type { DatabaseSync } from 'node:sqlite'
import { checkQueue, checkWakeUp } from '../writes/arguments.ts'
import { type Clock, clockCheckMs } from '../clock.ts'
import { describeError } from '../describe-error.ts'
import type { StoreEventLog } from '../log/store-log.ts'
import { retryDelayMs } from '../retry-delay.ts'
import type { Scheduler, WakeUp } from '../scheduler.ts'
import { settledWithin } from '../settled-within.ts'
import type { WriteBatch } from './write-batch.ts'

/** Handlers of one queue at the same time. */
const CONCURRENCY = 16
/** After the table could not be read. */
const RETRY_MS = 1000
/** How long a closing store waits for handlers under way. */
const DRAIN_MS = 5000

/** The scheduler of the embedded store. */
export interface DueIndex extends Scheduler {
  /** Stops all queues, after the handlers under way. */
  stop(): Promise<void>
}

interface Queue {
  readonly handler: (wakeUp: WakeUp) => Promise<void>
  readonly underWay: Map<number, Promise<void>>
}

type Row = [seq: number, id: string, dueAt: number, attempts: number]

/** A table of due times and one timer for the next of them. */
export function createDueIndex(options: {
  readonly db: DatabaseSync
  readonly batch: WriteBatch
  readonly clock: Clock
  readonly log: StoreEventLog
  readonly checkOpen: () => void
}): DueIndex {
  const { db, batch, clock, log, checkOpen } = options
  /** A clock may jump: nothing sleeps longer than this without looking at it. */
  const longestSleepMs = clockCheckMs(clock)
  const insert = db.prepare(
    'INSERT OR IGNORE INTO due (queue, id, due_at, next_at) VALUES (?, ?, ?, ?)',
  )
  const removeAll = db.prepare('DELETE FROM due WHERE queue = ? AND id = ?')
  const remove = db.prepare('DELETE FROM due WHERE seq = ?')
  const delay = db.prepare('UPDATE due SET attempts = ?, next_at = ? WHERE seq = ?')
  const selectDue = db.prepare(`
    SELECT seq, id, due_at, attempts FROM due
    WHERE queue = ? AND next_at <= ? ORDER BY next_at LIMIT ?`)
  selectDue.setReturnArrays(true)
  const selectNext = db.prepare(
    'SELECT min(next_at) AS next FROM due WHERE queue = ? AND next_at > ?',
  )
  const queues = new Map<string, Queue>()
  let timer: NodeJS.Timeout | undefined
  let nextAt = Number.POSITIVE_INFINITY

  function wakeAt(when: number): void {
    if (when >= nextAt) return
    nextAt = when
    arm()
  }

  function arm(): void {
    clearTimeout(timer)
    timer = undefined
    if (nextAt === Number.POSITIVE_INFINITY || queues.size === 0) return
    const wait = Math.max(0, Math.min(longestSleepMs, nextAt - clock.now()))
    timer = setTimeout(tick, wait)
    timer.unref()
  }

  function tick(): void {
    if (clock.now() >= nextAt) {
      nextAt = Number.POSITIVE_INFINITY
      try {
        for (const [name, queue] of queues) startDue(name, queue)
      } catch (error) {
        const cause = describeError(error)
        log.error({ event: 'store.scheduler_failed', cause }, 'due wake-ups cannot be read')
        nextAt = clock.now() + RETRY_MS
      }
    }
    arm()
  }

  function startDue(name: string, queue: Queue): void {
    const now = clock.now()
    const { underWay } = queue
    // The columns it selects; those under way are still in the table.
    const rows = selectDue.all(name, now, CONCURRENCY + underWay.size) as unknown as Row[]
    for (const [seq, id, dueAt, attempts] of rows) {
      if (underWay.size >= CONCURRENCY) break
      if (underWay.has(seq)) continue
      underWay.set(seq, handle(name, queue, { id, when: dueAt }, seq, attempts + 1))
    }
    const next = selectNext.get(name, now)?.['next']
    if (typeof next === 'number') nextAt = Math.min(nextAt, next)
  }

  async function handle(
    name: string,
    { handler, underWay }: Queue,
    wakeUp: WakeUp,
    seq: number,
    attempts: number,
  ): Promise<void> {
    let again = clock.now()
    try {
      const failure = await attempt(handler, wakeUp)
      if (failure === undefined) {
        await batch.run(() => remove.run(seq))
      } else {
        const fields = { queue: name, attempts, cause: describeError(failure.err) }
        log.error({ event: 'store.wake_up_failed', ...fields }, 'a wake-up failed')
        const when = clock.now() + retryDelayMs(attempts)
        await batch.run(() => delay.run(attempts, when, seq))
      }
    } catch (error) {
      const fields = { queue: name, cause: describeError(error) }
      log.error({ event: 'store.scheduler_failed', ...fields }, 'a wake-up is not settled')
      again = clock.now() + RETRY_MS
    } finally {
      underWay.delete(seq)
      wakeAt(again)
    }
  }

  async function stopQueue(name: string, queue: Queue): Promise<void> {
    if (queues.get(name) === queue) queues.delete(name)
    await settledWithin(Promise.allSettled(queue.underWay.values()), DRAIN_MS)
  }

  return {
    async at(queue, id, when) {
      checkOpen()
      checkWakeUp(queue, id, when)
      await batch.run(() => insert.run(queue, id, when, when))
      wakeAt(when)
    },
    async cancel(queue, id) {
      checkOpen()
      checkWakeUp(queue, id)
      await batch.run(() => removeAll.run(queue, id))
    },
    async process(name, handler) {
      checkOpen()
      checkQueue(name)
      if (queues.has(name)) throw new TypeError(`queue ${name} has a handler already`)
      const queue: Queue = { handler, underWay: new Map() }
      queues.set(name, queue)
      nextAt = Number.NEGATIVE_INFINITY
      arm()
      return () => stopQueue(name, queue)
    },
    async stop() {
      clearTimeout(timer)
      await Promise.all([...queues].map(([name, queue]) => stopQueue(name, queue)))
      clearTimeout(timer)
    },
  }
}

async function attempt(
  handler: Queue['handler'],
  wakeUp: WakeUp,
): Promise<{ err: unknown } | undefined> {
  try {
    await handler(wakeUp)
    return undefined
  } catch (err) {
    return { err }
  }
}
