import type { OutgoingPush, OutgoingText } from '@svc/notify'
import type { Store } from '@svc/store'
import type { DevOutbox, OutboxEntry, OutboxPush } from '../../notifications/development.ts'
import { createKeptList } from './kept-list.ts'

export interface DevOutboxOptions {
  readonly store: Store
  readonly clock: { now(): number }
  /** Name of the client whose device it is. */
  readonly deviceName: (push: OutgoingPush) => Promise<string | undefined>
}

export function createDevOutbox({ store, clock, deviceName }: DevOutboxOptions): DevOutbox {
  const kept = createKeptList<OutboxEntry>({
    store,
    clock,
    kind: 'dev-outbox-entry',
    index: 'dev-outbox',
  })
  return {
    pushes: {
      async send(push) {
        await kept.add(push.instance.id, await toEntry(push, deviceName))
        return { class: 'sent', code: 'kept' }
      },
    },
    texts: {
      async send({ instance, notificationId: notification, number, text }: OutgoingText) {
        await kept.add(instance.id, { kind: 'text', notification, number, text })
        return { class: 'sent', code: 'kept' }
      },
    },
    list: ({ id }) => kept.list(id),
    get: ({ id }, name) => kept.get(id, name),
    removeAll: ({ id }) => kept.removeAll(id),
  }
}

async function toEntry(
  push: OutgoingPush,
  deviceName: DevOutboxOptions['deviceName'],
): Promise<OutboxPush> {
  const { notificationId: notification, platform, slug, title, body, data, priority, sound } = push
  return {
    kind: 'push',
    notification,
    platform,
    title,
    body,
    data,
    device: (await deviceName(push)) ?? platform,
    ...(slug !== undefined && { slug }),
    ...(priority !== undefined && { priority }),
    ...(sound !== undefined && { sound }),
  }
}
