import { DAY_MS, HOUR_MS, type Instance, type InstanceId } from '@svc/platform'
import {
  type Change,
  indexKey,
  type IndexKey,
  type Key,
  recordKey,
  type Revision,
  type Store,
} from '@svc/store'
import { NotifyError } from '../notify-error.ts'
import type { Outbox } from '../outbox/outbox.ts'
import { createTurns } from './keyed-queue.ts'
import type { Poster } from './poster.ts'

/** What every accepted post of a source owner changes: of two at a time, one does not happen. */
export interface TurnRow {
  /** Unfinished ones at most: those that finished since it was counted are still in it. */
  readonly unfinished: number
  /** `createdAt` of the newest one. */
  readonly lastAt: number
}

/** The right to accept a post, unless another process of the same store is faster. */
export interface Turn {
  /** Milliseconds since the epoch: now, and later than any other post of the source owner. */
  readonly createdAt: number
  /**
   * What has to be in the write.
   * @param counts - whether the notification waits for delivery and its poster has a limit
   * @throws NotifyError 429 `too_many_pending`
   */
  change(counts: boolean): Promise<Change>
}

/** Lets posts of one source owner happen one after the other, in all processes. @see notifications.md 7, 13 */
export interface SourceTurns {
  /** Runs one post; in this process they wait for each other instead of failing. */
  inTurn<Result>(instance: Instance, poster: Poster, post: () => Promise<Result>): Promise<Result>
  begin(instance: Instance, poster: Poster): Promise<Turn>
  /** Removes the rows of an instance that is being removed. */
  forget(instance: Instance): Promise<void>
}

/** How far a clock may go back without changing what came last. Beyond it times would look wrong for too long. */
const MAX_AHEAD_MS = HOUR_MS

export function createSourceTurns(options: {
  readonly store: Pick<Store, 'get' | 'list' | 'write'>
  readonly clock: { now(): number }
  readonly outbox: Pick<Outbox, 'listUnfinished'>
  readonly maxUnfinished: number
  /** The longest that a post can wait for its time. Milliseconds. */
  readonly atAhead: number
}): SourceTurns {
  const { store, clock, outbox, maxUnfinished, atAhead } = options
  const inTurn = createTurns()

  async function countUnfinished(instance: Instance, poster: Poster): Promise<number> {
    let count = 0
    let cursor: string | undefined
    do {
      const request = { limit: 100, ...(cursor !== undefined && { cursor }) }
      const page = await outbox.listUnfinished(instance.id, poster, request)
      count += page.notifications.length
      cursor = page.cursor
    } while (cursor !== undefined && count < maxUnfinished)
    return count
  }

  return {
    inTurn: (instance, { originator, owner }, post) =>
      inTurn(`${instance.id}/${originator}/${owner}`, post),

    async begin(instance, poster) {
      const id = `${poster.originator}/${poster.owner}`
      const key = turnKey(instance.id, id)
      const stored = await store.get<{ unfinished: number; lastAt: number }>(key)
      const { unfinished, lastAt }: TurnRow = stored?.value ?? { unfinished: 0, lastAt: 0 }
      const now = clock.now()
      const createdAt = lastAt >= now && lastAt - now < MAX_AHEAD_MS ? lastAt + 1 : now

      return {
        createdAt,
        async change(counts) {
          let waiting = unfinished
          if (counts && waiting >= maxUnfinished) waiting = await countUnfinished(instance, poster)
          if (counts && waiting >= maxUnfinished) throw tooManyPending()
          return {
            op: 'put',
            key,
            value: { unfinished: counts ? waiting + 1 : waiting, lastAt: createdAt },
            // By then all that it counts are finished.
            expiresAt: createdAt + atAhead + 30 * DAY_MS,
            indexes: [{ index: turnsIndex(instance.id), sort: '' }],
            ...whenUnchanged(stored?.revision),
          }
        },
      }
    },

    async forget(instance) {
      // What was removed is on no page any more, so that the first page is always the next one.
      for (let isMore = true; isMore; ) {
        const { records, cursor } = await store.list(turnsIndex(instance.id), { limit: 100 })
        const changes = records.map(({ key }): Change => ({ op: 'delete', key }))
        if (changes.length > 0) await store.write(changes)
        isMore = cursor !== undefined
      }
    },
  }
}

function turnKey(instanceId: InstanceId, owner: string): Key {
  return recordKey(instanceId, 'notification-turn', owner)
}

function turnsIndex(instanceId: InstanceId): IndexKey {
  return indexKey(instanceId, 'notification-turns')
}

function whenUnchanged(revision: Revision | undefined) {
  return revision === undefined ? { ifAbsent: true as const } : { ifRevision: revision }
}

function tooManyPending(): NotifyError {
  const description = 'too many notifications wait to be sent'
  return new NotifyError('too_many_pending', { description, retryAfterS: 3600 })
}
