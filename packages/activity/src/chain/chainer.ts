import { setTimeout as delay } from 'node:timers/promises'
import type { Sealer } from '@svc/platform'
import { describeError, type Store } from '@svc/store'
import { BACKSTOP_MS, CHAIN_DELAY_MS } from '../lifetimes.ts'
import { CHAINED_AT_ONCE } from '../limits.ts'
import type { ActivityLogLines } from '../log/log-events.ts'
import { appendChanges } from './append.ts'
import type { Noted } from './entry.ts'
import { gapAtEnd } from './gap.ts'
import type { Head } from './head.ts'
import { headKey, index, PENDING } from './keys.ts'

/** Queue of the scheduler. */
const QUEUE = 'activity'
/** A loser of the race reads again after a moment of its own. */
const LOST_RACE_MS = 20

export interface ChainerOptions {
  readonly store: Store
  readonly sealer: Sealer
  readonly clock: { now(): number }
  readonly log: ActivityLogLines
  /** Looks after the chain of an instance that grew. */
  readonly afterwards: (instanceId: string) => Promise<void>
}

/** Moves pending events into the chains of their instances; any number of processes may. @see owner.md 5.4 */
export class Chainer {
  readonly #options: ChainerOptions
  /** Instances that this process will look at in a moment. */
  readonly #due = new Map<string, NodeJS.Timeout>()
  /** The last run of each instance, which never rejects. */
  readonly #runs = new Map<string, Promise<unknown>>()
  readonly #asked = new Set<Promise<void>>()
  #isClosed = false

  constructor(options: ChainerOptions) {
    this.#options = options
  }

  /** Takes the wake-ups of processes that died. @returns what ends it */
  start(): Promise<() => Promise<void>> {
    return this.#options.store.scheduler.process(QUEUE, ({ id }) => this.chain(id))
  }

  /** An event of the instance is about to be written. */
  notice(instanceId: string): void {
    if (this.#isClosed || this.#due.has(instanceId)) return
    const timer = setTimeout(() => {
      this.#due.delete(instanceId)
      void this.chain(instanceId).catch((error: unknown) => {
        this.#options.log.warn('activity.not_chained', { cause: describeError(error) })
      })
    }, CHAIN_DELAY_MS)
    timer.unref()
    this.#due.set(instanceId, timer)
    const asked = this.#askBackstop(instanceId).finally(() => this.#asked.delete(asked))
    this.#asked.add(asked)
  }

  /** Chains everything that is pending now. */
  async chain(instanceId: string): Promise<void> {
    const before = this.#runs.get(instanceId) ?? Promise.resolve()
    const run = before.then(() => this.#drain(instanceId))
    const settled = run.catch(() => {})
    this.#runs.set(instanceId, settled)
    void settled.then(() => {
      if (this.#runs.get(instanceId) === settled) this.#runs.delete(instanceId)
    })
    await run
  }

  /** Chains what is waiting in this process. */
  async close(): Promise<void> {
    this.#isClosed = true
    const ids = [...this.#due.keys()]
    for (const timer of this.#due.values()) clearTimeout(timer)
    this.#due.clear()
    // What cannot be chained now is chained after the next start.
    await Promise.allSettled([...this.#asked, ...ids.map((id) => this.chain(id))])
    await Promise.allSettled(this.#runs.values())
  }

  /** Should this process die, another one finds the event. One wake-up serves all events of its five seconds. */
  async #askBackstop(instanceId: string): Promise<void> {
    const { store, clock, log } = this.#options
    const at = Math.ceil(clock.now() / BACKSTOP_MS) * BACKSTOP_MS + BACKSTOP_MS
    await store.scheduler.at(QUEUE, instanceId, at).catch((error: unknown) => {
      log.warn('activity.no_backstop', { cause: describeError(error) })
    })
  }

  async #drain(instanceId: string): Promise<void> {
    const { store, afterwards } = this.#options
    let isGrown = false
    for (;;) {
      const outcome = await this.#step(store, instanceId)
      if (outcome === 'empty' || outcome === 'wait') break
      if (outcome === 'chained') isGrown = true
      // Several processes would else meet again and again.
      else await delay(Math.random() * LOST_RACE_MS)
    }
    if (isGrown) await afterwards(instanceId)
  }

  async #step(store: Store, instanceId: string): Promise<'chained' | 'empty' | 'lost' | 'wait'> {
    const { sealer, clock, log } = this.#options
    const { records } = await store.list<Noted>(index(instanceId, PENDING), {
      limit: CHAINED_AT_ONCE,
    })
    if (records.length === 0) return 'empty'
    const head = await store.get<Head>(headKey(instanceId))
    const end = { head, pending: records }
    const found = await gapAtEnd(this.#options, instanceId, end)
    if (found === 'moved') return 'lost'
    if (found === 'wait') {
      log.warn('activity.not_chained', { cause: 'the head is sealed with a key that is unknown' })
      return 'wait'
    }
    const gap = found === 'none' ? undefined : found
    const changes = appendChanges({ ...end, sealer, instanceId, now: clock.now(), gap })
    // When its answer is lost, what is pending is read again: a second time the same cannot be chained.
    const { written } = await store.write(changes)
    return written ? 'chained' : 'lost'
  }
}
