import type { InstanceId } from '@svc/platform'
import { isComparable } from '../intake/state-rules.ts'
import type { NotificationRecord, StoredNotification } from '../outbox/notification.ts'
import type { NotifyServices } from '../services.ts'

type PurgeServices = Pick<NotifyServices, 'clock' | 'lifetimes' | 'log' | 'outbox'>

const BATCH = 50
/** Batches of one purge; a wake-up is left behind for the rest. */
const MAX_BATCHES = 200

/** Purges what is over of one instance. @see notifications.md 14 */
export async function purgeInstance(
  services: PurgeServices,
  instanceId: InstanceId,
): Promise<void> {
  const { clock, log, outbox } = services
  let [erased, removed] = [0, 0]
  for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
    const { notifications } = await outbox.listPurgeable(instanceId, clock.now(), { limit: BATCH })
    if (notifications.length === 0) break
    const gone: string[] = []
    for (const stored of notifications) {
      const next = await nextForm(services, stored)
      if (next === undefined) gone.push(stored.record.id)
      else if ((await outbox.update(stored, next)) !== undefined) erased += 1
    }
    await outbox.remove(instanceId, gone)
    removed += gone.length
  }
  if (erased + removed > 0) log.info('notifications.purged', { erased, removed })
}

/** The record as it stays; undefined when it goes. */
async function nextForm(
  services: PurgeServices,
  { instanceId, record }: StoredNotification,
): Promise<NotificationRecord | undefined> {
  const { clock, lifetimes } = services
  if (record.isErased === undefined) return withoutBodies(record)
  const { flags, finishedAt = record.createdAt } = record
  const end = finishedAt + lifetimes.newestOfSource
  const now = clock.now()
  if (now >= end || !(flags.stateful || flags.collapsible)) return undefined
  if (!(await isNewest(services, instanceId, record))) return undefined
  // A newer one may come at any time.
  return { ...record, keptUntil: Math.min(end, now + lifetimes.bodies) }
}

/** Whether it is the newest of its source, or the newest that states are compared with. */
async function isNewest(
  { outbox }: PurgeServices,
  instanceId: InstanceId,
  { id, sourceId }: NotificationRecord,
): Promise<boolean> {
  let isFirst = true
  for (let cursor: string | undefined; ; ) {
    const page = await outbox.listBySource(instanceId, sourceId, {
      limit: 20,
      ...(cursor !== undefined && { cursor }),
    })
    for (const { record } of page.notifications) {
      if (record.id === id) return isFirst || isComparable(record)
      if (isComparable(record)) return false
      isFirst = false
    }
    if (page.cursor === undefined) return false
    cursor = page.cursor
  }
}

function withoutBodies(record: NotificationRecord): NotificationRecord {
  const { content: _content, contentHtml: _contentHtml, data: _data, ...rest } = record
  return { ...rest, isErased: true }
}
