import { checkQueue, checkWakeUp } from '../writes/arguments.ts'
import type { Clock } from '../clock.ts'
import type { StoreEventLog } from '../log/store-log.ts'
import type { Scheduler, WakeUp } from '../scheduler.ts'
import { StoreUnavailableError } from '../store.ts'
import type { BullmqScheduler } from './bullmq-scheduler.ts'
import type { Connection } from './connection.ts'
import type { RedisTarget } from './redis-url.ts'

/** The scheduler of a store on Redis. */
export interface RedisScheduler extends Scheduler {
  /** What was asked for and is not handled yet, each once. */
  pending(queue: string): AsyncIterable<WakeUp>
  close(): Promise<void>
}

/** Checks the arguments, and loads BullMQ at the first use: a store that schedules nothing starts without it. */
export function createRedisScheduler(options: {
  readonly connection: Connection
  readonly target: RedisTarget
  readonly clock: Clock
  readonly log: StoreEventLog
}): RedisScheduler {
  let loading: Promise<BullmqScheduler> | undefined
  let isClosed = false

  function load(): Promise<BullmqScheduler> {
    if (isClosed) throw new StoreUnavailableError('the store is closed')
    loading ??= import('./bullmq-scheduler.ts').then(({ createBullmqScheduler }) =>
      createBullmqScheduler(options),
    )
    return loading
  }

  return {
    async at(queue, id, when) {
      checkWakeUp(queue, id, when)
      await (await load()).at(queue, id, when)
    },
    async cancel(queue, id) {
      checkWakeUp(queue, id)
      await (await load()).cancel(queue, id)
    },
    async process(queue, handler) {
      checkQueue(queue)
      return (await load()).process(queue, handler)
    },
    async *pending(queue) {
      yield* (await load()).pending(queue)
    },
    async close() {
      isClosed = true
      // One that could not be loaded told its callers.
      const loaded = await loading?.catch(() => undefined)
      await loaded?.close()
    },
  }
}
