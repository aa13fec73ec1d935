import { createHash } from 'node:crypto'
import type { Json } from '@svc/store'
import type { NotificationRecord } from './notification.ts'

/** A notification as JSON:API shows it. */
export interface NotificationResource {
  /** `<namespace>.notifications` */
  readonly type: string
  readonly id: string
  readonly meta: { readonly rev: string }
  readonly links: { readonly self: string }
  readonly attributes: { readonly [name: string]: Json }
}

/**
 * The only form in which a notification leaves this server: in answers, the inbox and events. Attributes as posted, unmodified,
 * and what became of it; no token, number, address or lease.
 * @param namespace - prefix of doctypes (D20)
 * @see notifications.md 3.3, 15; decision D36
 */
export function toResource(record: NotificationRecord, namespace: string): NotificationResource {
  return {
    type: `${namespace}.notifications`,
    id: record.id,
    meta: { rev: revisionOf(record) },
    links: { self: `/notifications/${record.id}` },
    attributes: attributesOf(record),
  }
}

function attributesOf(record: NotificationRecord): { readonly [name: string]: Json } {
  const { scheduledAt, createdAt, sentAt } = record
  const all: Readonly<Record<string, Json | undefined>> = {
    source_id: record.sourceId,
    originator: record.originator,
    slug: record.slug === '' ? undefined : record.slug,
    category: record.category,
    category_id: record.categoryId,
    title: record.title,
    message: record.message,
    priority: record.priority,
    state: record.state,
    preferred_channels: record.givenChannels,
    data: record.data,
    at: record.at,
    sound: record.sound,
    content: record.content,
    content_html: record.contentHtml,
    created_at: toTime(createdAt),
    last_sent: toTime(record.lastSentAt),
    scheduled_at: scheduledAt > createdAt ? toTime(scheduledAt) : undefined,
    status: record.status,
    reason: record.reason,
    channel: record.channel,
    sent_at: sentAt === undefined ? undefined : toTime(sentAt),
  }
  const present = Object.entries(all).filter(
    (entry): entry is [string, Json] => entry[1] !== undefined,
  )
  return Object.fromEntries(present)
}

/** `<n>-<32 hex>`: n counts the changes. */
function revisionOf({ id, version }: NotificationRecord): string {
  return `${version}-${createHash('md5').update(`${id}:${version}`).digest('hex')}`
}

function toTime(ms: number): string {
  return new Date(ms).toISOString()
}
