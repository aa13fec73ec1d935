import type { NotificationRecord } from '@svc/notify'
import type { Kept, OutboxEntry } from '../notifications/development.ts'

const FINAL = new Set(['sent', 'skipped', 'collapsed', 'expired', 'failed', 'cancelled'])

/** What the admin API tells of a notification: what became of it, and every try; no address, number or token. */
export function notificationToWire(record: NotificationRecord): Record<string, unknown> {
  const { id, originator, slug, category, categoryId, title, message, priority } = record
  const { status, reason, channel, createdAt, scheduledAt, sentAt, attempts } = record
  return {
    id,
    status,
    reason,
    channel,
    originator,
    slug,
    category,
    category_id: categoryId,
    title,
    message,
    priority,
    source_id: record.sourceId,
    created_at: toTime(createdAt),
    scheduled_at: toTime(scheduledAt),
    sent_at: toTime(sentAt),
    due_at: FINAL.has(status) ? undefined : toTime(record.dueAt),
    read_at: toTime(record.readAt),
    attempts: attempts.map(({ at, ...attempt }) => ({ at: toTime(at), ...attempt })),
  }
}

/** A push or text of the development outbox. */
export function outboxEntryToWire({
  id,
  keptAt,
  item,
}: Kept<OutboxEntry>): Record<string, unknown> {
  return { id, date: toTime(keptAt), ...item }
}

function toTime(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : new Date(ms).toISOString()
}
