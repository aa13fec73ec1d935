import {
  type CategoryFlags,
  notificationId,
  type NotificationRecord,
  type Originator,
} from '../outbox/notification.ts'
import type { Draft } from './attributes.ts'
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
  /** It is there for the owner as soon as it is written. */
  readonly isInboxOnly?: boolean
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
  if (decision.kind === 'send' && given.isInboxOnly === true) {
    return { ...record, status: 'sent', lastSentAt: createdAt, finishedAt: createdAt }
  }
  if (decision.kind === 'send') {
    return { ...record, status: isLater ? 'scheduled' : 'queued', lastSentAt: createdAt }
  }
  const { reason, lastSentAt = createdAt } = decision
  return { ...record, status: 'skipped', reason, lastSentAt, finishedAt: createdAt }
}

/** Parts of a notification source. */
export interface Source {
  readonly originator: Originator
  /** Slug, or client id of an unlinked client; empty for `stack`. */
  readonly owner: string
  readonly category: string
  /** Only of categories with `multiple`. */
  readonly categoryId?: string
}

/** What would end a part of the id, or be read as an escape. */
const SPECIAL = /[/%\p{Cc}]/gu

/**
 * The id that notifications of one kind share: `svc/<originator>/<owner>/<category>/<category_id>`. The last slash stays
 * when there is no `category_id`; `/`, `%` and control characters in it are percent-encoded, so that no two sources meet.
 * @see notifications.md 6
 */
export function sourceIdOf(
  prefix: string,
  { originator, owner, category, categoryId = '' }: Source,
): string {
  const last = categoryId.replaceAll(SPECIAL, encodeURIComponent)
  return `${prefix}/${originator}/${owner}/${category}/${last}`
}
