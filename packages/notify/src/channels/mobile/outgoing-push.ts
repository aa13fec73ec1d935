import type { NotifiableDevice } from '@svc/oauth-core'
import type { Instance } from '@svc/platform'
import type { NotificationRecord } from '../../outbox/notification.ts'
import { collapseOf } from './collapse.ts'
import type { PushContent } from './push-content.ts'
import type { OutgoingPush } from './push-gateway.ts'
import { pushIdOf } from './push-identity.ts'

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
    ...{ instance, platform, token, tokenSince },
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
