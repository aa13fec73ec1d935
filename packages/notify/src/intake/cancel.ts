import { NotifyError } from '../notify-error.ts'
import type { NotificationRecord, StoredNotification } from '../outbox/notification.ts'
import type { Outbox } from '../outbox/outbox.ts'
import type { NotifyServices } from '../services.ts'

/** Writers that may be faster than a cancellation: each brings the notification nearer to its end. */
const MAX_TRIES = 10

/**
 * Cancels what is not sent yet.
 * @param find - reads it anew at every try; throws when it is not found
 * @throws NotifyError `not_cancellable`, or `conflict` when it changes all the time
 * @see notifications.md 15
 */
export async function cancelNotification(
  { clock, outbox }: Pick<NotifyServices, 'clock'> & { readonly outbox: Pick<Outbox, 'update'> },
  find: () => Promise<StoredNotification>,
): Promise<void> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const stored = await find()
    const { record } = stored
    // A leased notification may already be at the provider.
    if (record.status !== 'scheduled' && record.status !== 'queued') throw notCancellable(record)
    const cancelled = { ...record, status: 'cancelled', finishedAt: clock.now() } as const
    if ((await outbox.update(stored, cancelled)) !== undefined) return
  }
  throw new NotifyError('conflict', { description: 'it is being changed' })
}

function notCancellable({ status }: NotificationRecord): NotifyError {
  return new NotifyError('not_cancellable', { description: `it is ${status}` })
}
