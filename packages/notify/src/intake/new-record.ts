import type { CategoryFlags, NotificationRecord } from '../outbox/notification.ts'
import type { Draft } from './attributes.ts'
import { notificationId } from '../outbox/notification-id.ts'
import type { Poster } from './poster.ts'
import type { StateDecision } from './state-rules.ts'

/** The record of a notification that is being accepted. */
export function newRecord(given: {
  readonly poster: Poster
  readonly sourceId: string
  readonly category: string
  readonly flags: CategoryFlags
  readonly draft: Draft
  readonly decision: Exclude<StateDecision, { kind: 'same' }>
  /** Milliseconds since the epoch. */
  readonly now: number
  /** Later than that of any other of its source owner, so that there is a newest one. */
  readonly createdAt: number
}): NotificationRecord {
  const { poster, sourceId, category, flags, draft, decision, now, createdAt } = given
  const { sendAt = now, ...asked } = draft
  const isLater = sendAt > now
  const record = {
    ...asked,
    id: notificationId(createdAt),
    sourceId,
    originator: poster.originator,
    owner: poster.owner,
    postedBy: poster.postedBy,
    ...(poster.slug !== undefined && { slug: poster.slug }),
    ...(poster.clientId !== undefined && { clientId: poster.clientId }),
    ...(poster.linkedClientId !== undefined && { linkedClientId: poster.linkedClientId }),
    category,
    flags,
    version: 1,
    createdAt,
    scheduledAt: isLater ? Math.max(sendAt, createdAt) : createdAt,
    dueAt: sendAt,
    round: 0,
    progress: {},
    attempts: [],
    crashes: 0,
  }
  if (decision.kind === 'send') {
    return { ...record, status: isLater ? 'scheduled' : 'queued', lastSentAt: createdAt }
  }
  const { reason, lastSentAt = createdAt } = decision
  return { ...record, status: 'skipped', reason, lastSentAt, finishedAt: createdAt }
}
