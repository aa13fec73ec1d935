import { createHash } from 'node:crypto'
import { DAY_MS, type Instance, type InstanceId } from '@svc/platform'
import { describeError, type Store } from '@svc/store'
import type { ActivityLogLines } from '../log/log-events.ts'
import type { Head } from './head.ts'
import { headKey } from './keys.ts'

/** Queue of the scheduler. */
const QUEUE = 'activity-seal'

/** Where the chain of an owner ended when a month was over. */
export interface ActivitySeal {
  readonly instance: Instance
  readonly chain: string
  readonly seq: number
  /** 64 hexadecimal characters. */
  readonly hash: string
  /** Of its entry, milliseconds since the epoch. */
  readonly time: number
}

/** Tells the owner. It may be told again of the same end. */
export type TellSeal = (seal: ActivitySeal) => Promise<void>

export interface SealNoticesOptions {
  readonly store: Store
  readonly clock: { now(): number }
  readonly log: ActivityLogLines
  readonly find: (id: InstanceId) => Promise<Instance | undefined>
  /** Absent: nobody is told. */
  readonly tell: TellSeal | undefined
}

/**
 * Names the end of each chain to its owner once a month, so that whoever holds what was named can show that older
 * entries were rewritten, the operator's own doing included. A month without entries names nothing new.
 * @see owner.md 5.3
 */
export class SealNotices {
  readonly #options: SealNoticesOptions
  /** The wake-up that this process asked for, of each instance. */
  readonly #asked = new Map<string, number>()

  constructor(options: SealNoticesOptions) {
    this.#options = options
  }

  /** The chain of the instance grew. Never rejects. */
  async look(instanceId: string): Promise<void> {
    const { store, clock, log, tell } = this.#options
    if (tell === undefined) return
    const due = dueAt(instanceId, clock.now())
    if (this.#asked.get(instanceId) === due) return
    for (const [id, at] of this.#asked) if (at < clock.now()) this.#asked.delete(id)
    try {
      await store.scheduler.at(QUEUE, instanceId, due)
      this.#asked.set(instanceId, due)
    } catch (error) {
      log.warn('activity.no_backstop', { cause: describeError(error) })
    }
  }

  /** Takes the wake-ups of all processes. @returns what ends it */
  start(): Promise<() => Promise<void>> {
    const { store, find, tell } = this.#options
    return store.scheduler.process(QUEUE, async ({ id }) => {
      const instance = await find(id as InstanceId) // Asked for by `look`.
      const head = await store.get<Head>(headKey(id))
      if (tell === undefined || instance === undefined || head === undefined) return
      const { chain, seq, hash, time } = head.value
      await tell({ instance, chain, seq, hash, time })
    })
  }
}

/** On the first day of the next month, UTC; not of all instances at once. */
function dueAt(instanceId: string, now: number): number {
  const month = new Date(now)
  const next = Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + 1)
  const place = createHash('sha256').update(instanceId).digest().readUInt32BE(0) / 2 ** 32
  return next + Math.floor(place * DAY_MS)
}
