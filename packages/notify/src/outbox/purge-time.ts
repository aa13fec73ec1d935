import type { Lifetimes } from '../lifetimes.ts'
import type { NotificationRecord } from './notification.ts'

/**
 * When the next purge step of a finished notification is due: first its bodies go, then the record. Milliseconds
 * since the epoch. @see notifications.md 14
 */
export function purgeTime(
  record: NotificationRecord,
  lifetimes: Pick<Lifetimes, 'bodies' | 'finished'>,
): number {
  const { createdAt, finishedAt = createdAt, isErased, keptUntil } = record
  if (isErased === undefined) return finishedAt + lifetimes.bodies
  return keptUntil ?? finishedAt + lifetimes.finished
}
