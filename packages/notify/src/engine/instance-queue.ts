import type { InstanceId } from '@svc/platform'
import type { ChannelName, StoredNotification } from '../outbox/notification.ts'
import type { Outbox } from '../outbox/outbox.ts'

/** What of one instance is due over one channel, as far as this process looks at it: a few at a time, of any number. */
export interface InstanceQueue {
  readonly id: InstanceId
  /** Resolves when the queue is left: true when nothing was due any more. */
  readonly closed: Promise<boolean>
  /** Whether there may be something to do, and a place for it. */
  canRun(atMost: number): boolean
  /** Whether something that comes from another channel finds a place. */
  hasRoom(atMost: number): boolean
  /** Reserves a slot. */
  enter(): void
  leave(): void
  /** The next one of high priority, else the next one; undefined when nothing is due. */
  next(): Promise<StoredNotification | undefined>
  /** Works on what `next` answered; one that stays as it was is not looked at again. */
  work(
    stored: StoredNotification,
    deliver: (stored: StoredNotification) => Promise<boolean>,
  ): Promise<void>
  /** There may be more by now. */
  lookAgain(): void
  /** Nothing more for now, whatever is due. */
  giveUp(): void
  /** Whether nothing is due and nothing is being worked on. */
  isOver(): boolean
  close(isDone: boolean): void
}

const LOOK_AHEAD = 8
/** Most that a store lists at once. */
const MAX_LISTED = 100
/** Notifications that stayed as they were, before the queue is given up. */
const MAX_STUCK = 32

export function createInstanceQueue(options: {
  readonly id: InstanceId
  readonly channel: ChannelName
  readonly outbox: Pick<Outbox, 'listDue'>
  readonly clock: { now(): number }
}): InstanceQueue {
  const { id, channel, outbox, clock } = options
  const closed = Promise.withResolvers<boolean>()
  /** Being worked on. */
  const taken = new Set<string>()
  const stuck = new Set<string>()
  let ahead: StoredNotification[] = []
  let looking: Promise<void> | undefined
  let running = 0
  let mayHaveMore = false
  let hasGivenUp = false

  async function look(): Promise<void> {
    // What is written from now on is seen, or announced.
    mayHaveMore = false
    const known = taken.size + stuck.size
    const limit = Math.min(LOOK_AHEAD + known, MAX_LISTED)
    const now = clock.now()
    const high = await outbox.listDue(id, now, { isHigh: true, channel, limit })
    const others =
      high.length < limit ? await outbox.listDue(id, now, { isHigh: false, channel, limit }) : []
    ahead = [...high, ...others]
      .filter(({ record }) => !taken.has(record.id) && !stuck.has(record.id))
      .slice(0, LOOK_AHEAD)
    if (ahead.length > 0) mayHaveMore = true
  }

  return {
    id,
    closed: closed.promise,
    canRun: (atMost) => running < atMost && !hasGivenUp && mayHaveMore,
    hasRoom: (atMost) => running < atMost && !hasGivenUp,

    enter() {
      running += 1
    },

    leave() {
      running -= 1
    },

    async next() {
      if (ahead.length === 0) {
        looking ??= look().finally(() => {
          looking = undefined
        })
        await looking
      }
      const stored = ahead.shift()
      if (stored !== undefined) taken.add(stored.record.id)
      return stored
    },

    async work(stored, deliver) {
      const { id: notification } = stored.record
      // Until it has moved; one that throws has not.
      stuck.add(notification)
      try {
        if (await deliver(stored)) stuck.delete(notification)
        else if (stuck.size >= MAX_STUCK) hasGivenUp = true
      } finally {
        taken.delete(notification)
      }
    },

    lookAgain() {
      mayHaveMore = true
    },

    giveUp() {
      hasGivenUp = true
    },

    isOver: () => running === 0 && (hasGivenUp || !mayHaveMore),
    close: (isDone) => closed.resolve(isDone && !hasGivenUp && stuck.size === 0),
  }
}
