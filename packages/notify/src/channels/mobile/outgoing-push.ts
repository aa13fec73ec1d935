import type { NotifiableDevice } from '@svc/oauth-core'
import type { Instance } from '@svc/platform'
import { hash } from 'node:crypto'
import type { NotificationRecord } from '../../outbox/notification.ts'
import type { PushContent } from './push-content.ts'
import type { OutgoingPush } from './push-gateway.ts'

/** A notification for one device. @see notifications.md 16.3 to 16.5 */
export function pushFor(
  device: NotifiableDevice,
  {
    instance,
    record,
    content,
    now,
  }: {
    readonly instance: Instance
    readonly record: NotificationRecord
    readonly content: PushContent
    readonly now: number
  },
): OutgoingPush {
  const { platform, token, tokenSince, flagship } = device
  const { sound, priority, flags, slug } = record
  return {
    instance,
    platform,
    token,
    tokenSince,
    id: pushIdOf(record.id, device.clientId),
    notificationId: record.id,
    ...(slug !== undefined && slug !== '' && !flagship && { slug }),
    title: flagship ? content.flagshipTitle : content.title,
    body: content.body,
    data: content.data,
    ...(sound !== undefined && { sound }),
    ...(priority !== undefined && { priority }),
    ...collapseOf(record),
    ...(flags.ttlMs !== undefined && {
      ttlMs: Math.max(1000, record.scheduledAt + flags.ttlMs - now),
    }),
  }
}

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

/** The identifier of a push to one client: the same at every attempt. UUID version 8. @see notifications.md 16.5 */
export function pushIdOf(notificationId: string, clientId: string): string {
  const bytes = hash('sha256', `${notificationId}:${clientId}`, 'buffer').subarray(0, 16)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  const hex = bytes.toString('hex')
  const cuts = [0, 8, 12, 16, 20, 32]
  return cuts
    .slice(1)
    .map((end, place) => hex.slice(cuts[place], end))
    .join('-')
}

/** Identifies a device token in stored records: 128 bits of its SHA-256. */
export function tokenDigest(token: string): string {
  return hash('sha256', token, 'buffer').toString('base64url', 0, 16)
}
