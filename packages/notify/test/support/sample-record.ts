import type { NotificationRecord } from '../../src/outbox/notification.ts'
import { type NotificationChanges, sampleNotification } from './sample-notification.ts'

/** A notification of the app `drive`, about to be attempted; made at the beginning of time. */
export function sampleRecord(changes: NotificationChanges = {}): NotificationRecord {
  return sampleNotification({
    id: '019a0000-0000-7000-8000-000000000000',
    sourceId: 'svc/app/drive/shares/',
    owner: 'drive',
    postedBy: 'io.svc.apps/drive',
    slug: 'drive',
    category: 'shares',
    title: 'Title',
    preferredChannels: ['mobile', 'mail'],
    createdAt: 0,
    scheduledAt: 0,
    lastSentAt: 0,
    dueAt: 0,
    ...changes,
  })
}
