import type { InstanceId } from '@svc/platform'
import type { StoredNotification } from '../outbox/notification.ts'
import { isUnfinished, type SourceOwner } from '../outbox/notification-record.ts'
import type { NotifyServices } from '../services.ts'
import { finish } from './progress.ts'

const BATCH = 50
/** Writers that may be faster than a cancellation. */
const MAX_TRIES = 10

/** A client of an app: what it posted belongs to the app. */
export interface LinkedClient {
  readonly id: string
  readonly slug: string
}

/**
 * Cancels what waits of a source that is gone, then removes everything of it. May be called again.
 * @see notifications.md 14
 */
export async function removeSource(
  { clock, outbox }: Pick<NotifyServices, 'clock' | 'outbox'>,
  instanceId: InstanceId,
  source: SourceOwner,
): Promise<void> {
  for (let cursor: string | undefined; ; ) {
    const page = await outbox.listUnfinished(instanceId, source, {
      limit: BATCH,
      ...(cursor !== undefined && { cursor }),
    })
    for (const stored of page.notifications) {
      // Removed even if another process changed it first.
      await outbox.update(stored, finish(stored.record, 'cancelled', clock.now(), 'source_gone'))
    }
    if (page.cursor === undefined) break
    cursor = page.cursor
  }
  for (;;) {
    // Removed records are on no page any more.
    const page = await outbox.listByOwner(instanceId, source, { limit: BATCH })
    await outbox.remove(
      instanceId,
      page.notifications.map(({ record }) => record.id),
    )
    if (page.cursor === undefined) return
  }
}

/**
 * Cancels what waits of a client that is gone. What was sent stays with the app, which other clients speak for. May be
 * called again.
 * @see docs/decisions/0221
 */
export async function cancelLinked(
  { clock, outbox }: Pick<NotifyServices, 'clock' | 'outbox'>,
  instanceId: InstanceId,
  { id, slug }: LinkedClient,
): Promise<void> {
  async function cancel(stored: StoredNotification): Promise<void> {
    let current: StoredNotification | undefined = stored
    for (let tries = 0; tries < MAX_TRIES && current !== undefined; tries += 1) {
      const { record }: StoredNotification = current
      if (!isUnfinished(record) || record.status === 'sent') return
      const cancelled = finish(record, 'cancelled', clock.now(), 'source_gone')
      if ((await outbox.update(current, cancelled)) !== undefined) return
      current = await outbox.get(instanceId, record.id)
    }
  }

  for (let cursor: string | undefined; ; ) {
    const page = await outbox.listUnfinished(
      instanceId,
      { originator: 'oauth', owner: slug },
      { limit: BATCH, ...(cursor !== undefined && { cursor }) },
    )
    for (const stored of page.notifications) {
      if (stored.record.linkedClientId === id) await cancel(stored)
    }
    if (page.cursor === undefined) return
    cursor = page.cursor
  }
}
