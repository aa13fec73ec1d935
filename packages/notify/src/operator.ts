import type { Instance, InstanceId } from '@svc/platform'
import { cancelNotification } from './intake/cancel.ts'
import {
  isNotificationId,
  type NotificationRecord,
  type StoredNotification,
} from './outbox/notification.ts'
import { NotifyError } from './notify-error.ts'
import type { Outbox } from './outbox/outbox.ts'
import type { NotificationPageRequest } from './outbox/outbox-lists.ts'

/** A page of what an instance was told, oldest first, without bodies. */
export interface ListedNotifications {
  readonly notifications: readonly NotificationRecord[]
  readonly cursor?: string
}

/** What operators see and do; no endpoint of this package offers it. */
export interface NotifyOperator {
  /** @param page - `limit` 1 to 100 */
  list(instance: Instance, page?: NotificationPageRequest): Promise<ListedNotifications>
  /** With its bodies. Undefined when there is none of that id. */
  find(instance: Instance, id: string): Promise<NotificationRecord | undefined>
  /** @throws NotifyError `not_found`, `not_cancellable`, `conflict` */
  cancel(instance: Instance, id: string): Promise<void>
}

export function createOperator(parts: {
  readonly outbox: Pick<Outbox, 'get' | 'listAll' | 'update'>
  readonly clock: { now(): number }
}): NotifyOperator {
  const { outbox } = parts

  async function stored(id: InstanceId, name: string): Promise<StoredNotification | undefined> {
    return isNotificationId(name) ? outbox.get(id, name) : undefined
  }

  return {
    async list({ id }, page) {
      const { notifications, ...rest } = await outbox.listAll(id, page)
      return { ...rest, notifications: notifications.map(({ record }) => record) }
    },
    find: async ({ id }, name) => (await stored(id, name))?.record,
    cancel: ({ id }, name) =>
      cancelNotification(parts, async () => {
        const found = await stored(id, name)
        if (found === undefined) throw new NotifyError('not_found')
        return found
      }),
  }
}
