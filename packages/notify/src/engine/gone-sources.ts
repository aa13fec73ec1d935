import type { InstanceId } from '@svc/oauth-core'
import type { SourceOwner } from '../outbox/notification-record.ts'
import type { Outbox } from '../outbox/outbox.ts'
import { finish } from './progress.ts'

const BATCH = 50

/**
 * Cancels what waits of a source that is gone, then removes everything of it. May be called again.
 * @see notifications.md 14
 */
export async function removeSource(
  parts: {
    readonly outbox: Pick<Outbox, 'listByOwner' | 'listUnfinished' | 'remove' | 'update'>
    readonly clock: { now(): number }
  },
  instanceId: InstanceId,
  source: SourceOwner,
): Promise<void> {
  const { outbox, clock } = parts
  for (let cursor: string | undefined; ; ) {
    const page = await outbox.listUnfinished(instanceId, source, {
      limit: BATCH,
      ...(cursor !== undefined && { cursor }),
    })
    for (const stored of page.notifications) {
      // Whoever changed it first: it is removed all the same.
      await outbox.update(stored, finish(stored.record, 'cancelled', clock.now(), 'source_gone'))
    }
    if (page.cursor === undefined) break
    cursor = page.cursor
  }
  for (;;) {
    // What was removed is on no page any more.
    const page = await outbox.listByOwner(instanceId, source, { limit: BATCH })
    await outbox.remove(
      instanceId,
      page.notifications.map(({ record }) => record.id),
    )
    if (page.cursor === undefined) return
  }
}
