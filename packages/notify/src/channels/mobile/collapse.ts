import { hash } from 'node:crypto'
import type { NotificationRecord } from '../../outbox/notification.ts'
import type { OutgoingPush } from './push-gateway.ts'

/**
 * What makes devices replace one push by another: the source's own when it is collapsible, else the notification's, so
 * that a repeat replaces itself. @see notifications.md 8, decision D39
 */
export function collapseOf({
  id,
  sourceId,
  flags,
}: Pick<NotificationRecord, 'id' | 'sourceId' | 'flags'>): Pick<
  OutgoingPush,
  'collapseHash' | 'isCollapsible' | 'notId'
> {
  const key = flags.collapsible ? sourceId : sourceId + id
  const digest = hash('md5', key, 'buffer')
  return {
    collapseHash: digest.toString('hex'),
    isCollapsible: flags.collapsible,
    notId: notIdOf(digest),
  }
}

/** The first four bytes as a signed number without its sign; the one that has no positive twin becomes the largest. */
export function notIdOf(digest: Buffer): number {
  return Math.min(Math.abs(digest.readInt32BE(0)), 2_147_483_647)
}
