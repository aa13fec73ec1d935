import type { InstanceId } from '@svc/platform'
import type { ChannelGroup, StoredNotification } from '../outbox/notification.ts'
import type { Outbox } from '../outbox/outbox.ts'

const LOOK_AHEAD = 8
/** Most that a store lists at once. */
const MAX_LISTED = 100
/** Notifications that stayed as they were, before the queue is given up. */
const MAX_STUCK = 32

export interface InstanceQueueOptions {
  readonly id: InstanceId
  readonly channel: ChannelGroup
  readonly outbox: Pick<Outbox, 'listDue'>
  readonly clock: { now(): number }
}

/** Due notifications of one instance and channel, read by this process in small batches. */
export class InstanceQueue {
  readonly id: InstanceId
  /** Resolves when the queue is left: true when nothing was due any more. */
  readonly closed: Promise<boolean>
  readonly #options: InstanceQueueOptions
  readonly #resolveClosed: (isDone: boolean) => void
  /** Being worked on. */
  readonly #taken = new Set<string>()
  readonly #stuck = new Set<string>()
  #ahead: StoredNotification[] = []
  #looking: Promise<void> | undefined
  #running = 0
  #mayHaveMore = false
  #hasGivenUp = false

  constructor(options: InstanceQueueOptions) {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    this.id = options.id
    this.closed = promise
    this.#options = options
    this.#resolveClosed = resolve
  }

  /** Whether there may be something to do, and a place for it. */
  canRun(atMost: number): boolean {
    return this.hasRoom(atMost) && this.#mayHaveMore
  }

  /** Whether something that comes from another channel finds a place. */
  hasRoom(atMost: number): boolean {
    return this.#running < atMost && !this.#hasGivenUp
  }

  /** Reserves a slot. */
  enter(): void {
    this.#running += 1
  }

  leave(): void {
    this.#running -= 1
  }

  /** The next one of high priority, else the next one; undefined when nothing is due. */
  async next(): Promise<StoredNotification | undefined> {
    if (this.#ahead.length === 0) {
      this.#looking ??= this.#look().finally(() => {
        this.#looking = undefined
      })
      await this.#looking
    }
    const stored = this.#ahead.shift()
    if (stored !== undefined) this.#taken.add(stored.record.id)
    return stored
  }

  /** Works on what `next` answered; one that stays as it was is not looked at again. */
  async work(
    stored: StoredNotification,
    deliver: (stored: StoredNotification) => Promise<boolean>,
  ): Promise<void> {
    const { id } = stored.record
    // Until it has moved; one that throws has not.
    this.#stuck.add(id)
    try {
      if (await deliver(stored)) this.#stuck.delete(id)
      else if (this.#stuck.size >= MAX_STUCK) this.#hasGivenUp = true
    } finally {
      this.#taken.delete(id)
    }
  }

  /** There may be more by now. */
  lookAgain(): void {
    this.#mayHaveMore = true
  }

  /** Nothing more for now, even if more is due. */
  giveUp(): void {
    this.#hasGivenUp = true
  }

  /** Whether nothing is due and nothing is being worked on. */
  isOver(): boolean {
    return this.#running === 0 && (this.#hasGivenUp || !this.#mayHaveMore)
  }

  close(isDone: boolean): void {
    this.#resolveClosed(isDone && !this.#hasGivenUp && this.#stuck.size === 0)
  }

  async #look(): Promise<void> {
    const { channel, outbox, clock } = this.#options
    // Later writes are read here or announced.
    this.#mayHaveMore = false
    const known = this.#taken.size + this.#stuck.size
    const limit = Math.min(LOOK_AHEAD + known, MAX_LISTED)
    const now = clock.now()
    const high = await outbox.listDue(this.id, now, { isHigh: true, channel, limit })
    const others =
      high.length < limit
        ? await outbox.listDue(this.id, now, { isHigh: false, channel, limit })
        : []
    this.#ahead = [...high, ...others]
      .filter(({ record }) => !this.#taken.has(record.id) && !this.#stuck.has(record.id))
      .slice(0, LOOK_AHEAD)
    if (this.#ahead.length > 0) this.#mayHaveMore = true
  }
}
