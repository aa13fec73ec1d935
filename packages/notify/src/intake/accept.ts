import type { NotificationCategory } from '@svc/oauth-core'
import type { Instance } from '@svc/platform'
import type { Revision } from '@svc/store'
import { NotifyError } from '../notify-error.ts'
import type { NotificationRecord } from '../outbox/notification.ts'
import type { NotifyServices } from '../services.ts'
import type { Draft } from './attributes.ts'
import { toFlags } from './declarations.ts'
import {
  answerChange,
  type AnswerRow,
  asAnswered,
  checkSame,
  type IdempotentRequest,
} from './idempotency.ts'
import { newRecord, sourceIdOf } from './new-record.ts'
import type { Poster } from './poster.ts'
import { inSourceQueue, queueChange, readQueueHead } from './source-queue.ts'
import { decideState, isComparable, type StateDecision } from './state-rules.ts'

/** A notification that passed all checks of what it says. */
export interface Post {
  readonly instance: Instance
  readonly poster: Poster
  /** Its name. */
  readonly category: string
  readonly declared: NotificationCategory
  readonly draft: Draft
  readonly idempotent?: IdempotentRequest
  /** The alert is over (4.3): recorded, not sent. */
  readonly isCleared?: boolean
  /** It leaves by no channel. */
  readonly isInboxOnly?: boolean
}

/** Result of a post. */
export interface Accepted {
  readonly record: NotificationRecord
  /** Nothing new: the last one says the same. */
  readonly skipped?: 'same_state'
  /** The answer to an earlier request of the same key. */
  readonly isReplay?: true
}

/** The answer to an earlier request; or the record that remembers one whose notification is gone, to be replaced. */
interface Recalled {
  readonly answer?: Accepted
  readonly revision?: Revision
}

/** What accepting a notification needs. */
export type AcceptServices = Pick<
  NotifyServices,
  'clock' | 'hostChannels' | 'lifetimes' | 'log' | 'outbox' | 'posting' | 'store'
>

/** Other processes that may be faster, one after the other, before a post is given up. */
const MAX_TRIES = 50
/** Of a source, looked through for the last that counts: those that failed or were cancelled lie in between. */
const MAX_LOOKED_AT = 100

/**
 * Accepts a notification; durable when it resolves.
 * @throws NotifyError 409 `idempotency_in_progress`, 422 `idempotency_key_reused`, 429 `too_many_pending`
 */
export async function acceptPost(services: AcceptServices, post: Post): Promise<Accepted> {
  const { instance, poster, category, idempotent } = post
  const { inProgress } = services.posting
  const { answer: replayed } = await recall(services, post)
  if (replayed !== undefined) return replayed
  if (idempotent !== undefined) {
    if (inProgress.has(idempotent.key)) throw stillInProgress()
    inProgress.add(idempotent.key)
  }
  try {
    const accepted = await inSourceQueue(services, instance, poster, () =>
      acceptNext(services, post),
    )
    const { id, status } = accepted.record
    const { originator, owner } = poster
    const { domain } = instance
    services.log.info('notification.posted', { domain, id, originator, owner, category, status })
    return accepted
  } finally {
    if (idempotent !== undefined) inProgress.delete(idempotent.key)
  }
}

async function acceptNext(services: AcceptServices, post: Post): Promise<Accepted> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const accepted = await tryAccept(services, post)
    if (accepted !== undefined) return accepted
  }
  throw new NotifyError('unavailable', { retryAfterS: 5 })
}

/** Undefined when another process was faster. */
async function tryAccept(services: AcceptServices, post: Post): Promise<Accepted | undefined> {
  const { clock, lifetimes, outbox, posting } = services
  const { instance, poster, category, declared, draft, idempotent } = post
  const head = await readQueueHead(services, instance, poster)
  const { answer: replayed, revision } = await recall(services, post)
  if (replayed !== undefined) return replayed
  const { createdAt } = head
  const expiresAt = createdAt + lifetimes.idempotencyKey
  const { originator, owner } = poster
  const { categoryId } = draft
  const source = { originator, owner, category, ...(categoryId !== undefined && { categoryId }) }
  const sourceId = sourceIdOf(posting.sourcePrefix, source)

  let decision: StateDecision = { kind: 'send' }
  if (declared.stateful) {
    const last = await lastComparable(services, instance, sourceId)
    const { minIntervalMs } = declared
    const isCleared = post.isCleared === true
    decision = decideState(draft.state, last, { now: createdAt, minIntervalMs, isCleared })
    if (decision.kind === 'same' && last !== undefined) {
      const record = (await outbox.get(instance.id, last.id))?.record ?? last
      const answer = { record, skipped: 'same_state' } as const
      if (idempotent === undefined) return answer
      const change = answerChange(idempotent, answer, expiresAt, revision)
      const { written } = await services.store.write([change])
      return written ? answer : undefined
    }
  }
  if (decision.kind === 'same') return undefined

  const flags = toFlags(declared)
  const now = Math.min(clock.now(), createdAt)
  const { isInboxOnly = false } = post
  const about = { poster, sourceId, category, flags, draft, decision, now, createdAt, isInboxOnly }
  const record = newRecord(about)
  const isLimited = !isInternal(poster) && decision.kind === 'send'
  const changes = [await queueChange(services, instance, poster, head, isLimited)]
  if (idempotent !== undefined) {
    changes.push(answerChange(idempotent, { record }, expiresAt, revision))
  }
  return (await outbox.insert(instance.id, record, changes)) ? { record } : undefined
}

/** Stored under the idempotency key of the post. */
async function recall(
  { outbox, store }: AcceptServices,
  { instance, idempotent }: Post,
): Promise<Recalled> {
  if (idempotent === undefined) return {}
  const stored = await store.get<AnswerRow & Record<string, never>>(idempotent.key)
  if (stored === undefined) return {}
  const { value: row, revision } = stored
  checkSame(row, idempotent)
  const found = await outbox.get(instance.id, row.id)
  if (found === undefined) return { revision }
  const { skipped } = row
  const record = asAnswered(found.record, row)
  return { answer: { record, isReplay: true, ...(skipped !== undefined && { skipped }) } }
}

async function lastComparable(
  { outbox }: AcceptServices,
  { id }: Instance,
  sourceId: string,
): Promise<NotificationRecord | undefined> {
  let cursor: string | undefined
  let lookedAt = 0
  do {
    const request = { limit: 10, ...(cursor !== undefined && { cursor }) }
    const page = await outbox.listBySource(id, sourceId, request)
    const last = page.notifications.find(({ record }) => isComparable(record))
    if (last !== undefined) return last.record
    lookedAt += page.notifications.length
    cursor = page.cursor
  } while (cursor !== undefined && lookedAt < MAX_LOOKED_AT)
  return undefined
}

function isInternal({ originator }: Poster): boolean {
  return originator === 'stack' || originator === 'cli'
}

function stillInProgress(): NotifyError {
  const description = 'the first request with this Idempotency-Key is not answered yet'
  return new NotifyError('idempotency_in_progress', { description })
}
