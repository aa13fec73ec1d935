import type { NotificationRecord } from '../../src/outbox/notification.ts'

/** `undefined` takes a member away. */
type Changes = {
  readonly [Name in keyof NotificationRecord]?: NotificationRecord[Name] | undefined
}

/** A notification of the app `drive`, about to be attempted. */
export function sampleRecord(changes: Changes = {}): NotificationRecord {
  const record = {
    id: '019a0000-0000-7000-8000-000000000000',
    sourceId: 'svc/app/drive/shares/',
    originator: 'app',
    owner: 'drive',
    postedBy: 'io.svc.apps/drive',
    slug: 'drive',
    category: 'shares',
    title: 'Title',
    preferredChannels: ['mobile', 'mail'],
    flags: { collapsible: false, stateful: false, multiple: false, sensitive: false },
    version: 1,
    createdAt: 0,
    scheduledAt: 0,
    lastSentAt: 0,
    status: 'sending',
    dueAt: 0,
    round: 0,
    progress: {},
    attempts: [],
    crashes: 0,
    ...changes,
  } satisfies Changes
  const present = Object.entries(record).filter(([, value]) => value !== undefined)
  return Object.fromEntries(present) as unknown as NotificationRecord // Every member that is needed is above.
}
