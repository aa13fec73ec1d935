import type { Instance } from '@svc/platform'
import { cancelNotification } from './intake/cancel.ts'
import { NotifyError } from './notify-error.ts'
import {
  isNotificationId,
  type NotificationRecord,
  type StoredNotification,
} from './outbox/notification.ts'
import type { NotificationPageRequest } from './outbox/outbox-lists.ts'
import type { NotifyServices } from './services.ts'

/** A page of an instance's notifications, oldest first, without bodies. */
export interface ListedNotifications {
  readonly notifications: readonly NotificationRecord[]
  readonly cursor?: string
}

/** What operators see and do; no endpoint of this package offers it. */
export interface NotifyOperator {
  /** @param page - `limit` 1 to 100 */
  list(instance: Instance, page?: NotificationPageRequest): Promise<ListedNotifications>
  /** With its bodies. Undefined for an unknown id. */
  find(instance: Instance, id: string): Promise<NotificationRecord | undefined>
  /** @throws NotifyError `not_found`, `not_cancellable`, `conflict` */
  cancel(instance: Instance, id: string): Promise<void>
}

export function createOperator(services: Pick<NotifyServices, 'clock' | 'outbox'>): NotifyOperator {
  const { outbox } = services
  return {
    async list({ id }, page) {
      const { notifications, ...rest } = await outbox.listAll(id, page)
      return { ...rest, notifications: notifications.map(({ record }) => record) }
    },
    find: async (instance, id) => (await findStored(services, instance, id))?.record,
    cancel: (instance, id) =>
      cancelNotification(services, async () => {
        const found = await findStored(services, instance, id)
        if (found === undefined) throw new NotifyError('not_found')
        return found
      }),
  }
}

async function findStored(
  { outbox }: Pick<NotifyServices, 'outbox'>,
  instance: Instance,
  id: string,
): Promise<StoredNotification | undefined> {
  return isNotificationId(id) ? outbox.get(instance.id, id) : undefined
}
