import type { Instance } from '@svc/platform'
import { isUnfinished } from '../outbox/notification-record.ts'
import type { NotifyServices } from '../services.ts'
import { finish } from './progress.ts'

/**
 * Ends what should have been delivered before an instant and was not: in a store that was put back, owners may have got
 * it since. To be called before anything is delivered.
 */
export async function expireOverdue(
  { clock, outbox }: Pick<NotifyServices, 'clock' | 'outbox'>,
  { id }: Instance,
  before: number,
): Promise<void> {
  let cursor: string | undefined
  do {
    const page = await outbox.listAll(id, cursor === undefined ? {} : { cursor })
    for (const stored of page.notifications) {
      const { record } = stored
      if (!isUnfinished(record) || record.dueAt >= before) continue
      // A sent notification with a follow-up was delivered.
      const status = record.status === 'sent' ? 'sent' : 'expired'
      // Undefined: another process wrote it just now, so it is not overdue.
      await outbox.update(stored, finish(record, status, clock.now()))
    }
    cursor = page.cursor
  } while (cursor !== undefined)
}
