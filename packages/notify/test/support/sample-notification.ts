import {
  type CategoryFlags,
  notificationId,
  type NotificationRecord,
} from '../../src/outbox/notification.ts'

/** What notifications are changed by in tests; an `undefined` slug: none. */
export type NotificationChanges = Partial<Omit<NotificationRecord, 'flags' | 'slug'>> & {
  readonly flags?: Partial<CategoryFlags>
  readonly slug?: string | undefined
}

/** A notification of the app `bank`, due now, as it is in the outbox. */
export function sampleNotification(given: NotificationChanges = {}): NotificationRecord {
  const { flags, slug, ...changes } = { slug: 'bank', ...given }
  const now = Date.now()
  return {
    id: notificationId(now),
    sourceId: 'svc/app/bank/balance/',
    originator: 'app',
    owner: 'bank',
    postedBy: 'io.svc.apps/bank',
    ...(slug !== undefined && { slug }),
    category: 'balance',
    title: 'Your balance is low',
    preferredChannels: ['mail'],
    flags: { collapsible: false, stateful: false, multiple: false, sensitive: false, ...flags },
    version: 1,
    createdAt: now,
    scheduledAt: now,
    lastSentAt: now,
    status: 'sending',
    dueAt: now,
    round: 0,
    progress: {},
    attempts: [],
    crashes: 0,
    ...changes,
  }
}
