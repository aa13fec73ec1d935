import { DAY_MS, HOUR_MS, type Instance, type InstanceId } from '@svc/platform'
import {
  type Change,
  indexKey,
  type IndexKey,
  type Key,
  recordKey,
  type Revision,
} from '@svc/store'
import { NotifyError } from '../notify-error.ts'
import type { NotifyServices } from '../services.ts'
import type { Poster } from './poster.ts'

/** What every accepted post of a source owner changes: of two at a time, one does not happen. */
type QueueRow = {
  /** Unfinished ones at most: those that finished since it was counted are still in it. */
  readonly unfinished: number
  /** `createdAt` of the newest one. */
  readonly lastAt: number
}

/** The head of a source owner's queue as it was read: what the next post goes on from. */
export interface QueueHead {
  /** Milliseconds since the epoch: now, and later than any other post of the source owner. */
  readonly createdAt: number
  readonly unfinished: number
  readonly revision: Revision | undefined
}

/** How far a clock may go back without changing what came last. Beyond it times would look wrong for too long. */
const MAX_AHEAD_MS = HOUR_MS

/**
 * Runs a post behind those of the same source owner: in this process they wait for each other, between processes the
 * condition of {@link queueChange} decides. @see notifications.md 7, 13
 */
export function inSourceQueue<Result>(
  { posting }: Pick<NotifyServices, 'posting'>,
  instance: Instance,
  { originator, owner }: Poster,
  post: () => Promise<Result>,
): Promise<Result> {
  return posting.queue(`${instance.id}/${originator}/${owner}`, post)
}

/** Reads where the queue of a source owner stands. */
export async function readQueueHead(
  { clock, store }: Pick<NotifyServices, 'clock' | 'store'>,
  instance: Instance,
  poster: Poster,
): Promise<QueueHead> {
  const stored = await store.get<QueueRow>(queueKey(instance.id, poster))
  const { unfinished, lastAt } = stored?.value ?? { unfinished: 0, lastAt: 0 }
  const now = clock.now()
  const createdAt = lastAt >= now && lastAt - now < MAX_AHEAD_MS ? lastAt + 1 : now
  return { createdAt, unfinished, revision: stored?.revision }
}

/**
 * Conditions of a post's write: it fails when another process was faster.
 * @param counts - whether the notification waits for delivery and its poster has a limit
 * @throws NotifyError 429 `too_many_pending`
 */
export async function queueChange(
  services: Pick<NotifyServices, 'lifetimes' | 'outbox' | 'posting'>,
  instance: Instance,
  poster: Poster,
  { createdAt, unfinished, revision }: QueueHead,
  counts: boolean,
): Promise<Change> {
  const { maxUnfinished } = services.posting
  let waiting = unfinished
  if (counts && waiting >= maxUnfinished) {
    waiting = await countUnfinished(services, instance, poster)
  }
  if (counts && waiting >= maxUnfinished) throw tooManyPending()
  return {
    op: 'put',
    key: queueKey(instance.id, poster),
    value: { unfinished: counts ? waiting + 1 : waiting, lastAt: createdAt },
    // By then all that it counts are finished.
    expiresAt: createdAt + services.lifetimes.atAhead + 30 * DAY_MS,
    indexes: [{ index: queueIndex(instance.id), sort: '' }],
    ...(revision === undefined ? { ifAbsent: true as const } : { ifRevision: revision }),
  }
}

/** Removes the queues of an instance that is being removed. Notifications are the outbox's to remove. */
export async function removeQueues(
  { store }: Pick<NotifyServices, 'store'>,
  instance: Pick<Instance, 'id'>,
): Promise<void> {
  // Removed records are on no page any more, so that the first page is always the next one.
  for (let isMore = true; isMore; ) {
    const { records, cursor } = await store.list(queueIndex(instance.id), { limit: 100 })
    const changes = records.map(({ key }): Change => ({ op: 'delete', key }))
    if (changes.length > 0) await store.write(changes)
    isMore = cursor !== undefined
  }
}

async function countUnfinished(
  { outbox, posting }: Pick<NotifyServices, 'outbox' | 'posting'>,
  instance: Instance,
  poster: Poster,
): Promise<number> {
  let count = 0
  let cursor: string | undefined
  do {
    const request = { limit: 100, ...(cursor !== undefined && { cursor }) }
    const page = await outbox.listUnfinished(instance.id, poster, request)
    count += page.notifications.length
    cursor = page.cursor
  } while (cursor !== undefined && count < posting.maxUnfinished)
  return count
}

function queueKey(instanceId: InstanceId, { originator, owner }: Poster): Key {
  return recordKey(instanceId, 'notification-turn', `${originator}/${owner}`)
}

function queueIndex(instanceId: InstanceId): IndexKey {
  return indexKey(instanceId, 'notification-turns')
}

function tooManyPending(): NotifyError {
  const description = 'too many notifications wait to be sent'
  return new NotifyError('too_many_pending', { description, retryAfterS: 3600 })
}
