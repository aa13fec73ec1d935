import type { OutgoingPush, OutgoingText, PushGateway, SmsGateway } from '@svc/notify'
import type { Instance } from '@svc/platform'
import type { Store } from '@svc/store'
import { createKeptList, type Kept } from './kept-list.ts'

/** A push that was not sent, without the token of its device. */
export interface OutboxPush {
  readonly kind: 'push'
  readonly notification: string
  /** Name of the client that would have shown it; its platform where no client has the token any more. */
  readonly device: string
  readonly platform: OutgoingPush['platform']
  readonly slug?: string
  readonly title: string
  readonly body: string
  readonly data: OutgoingPush['data']
  readonly priority?: OutgoingPush['priority']
  readonly sound?: string
}

/** A text that was not sent. */
export interface OutboxText {
  readonly kind: 'text'
  readonly notification: string
  readonly number: string
  readonly text: string
}

export type OutboxEntry = OutboxPush | OutboxText

/** Keeps the last pushes and texts of each instance instead of sending them; for development. */
export interface DevOutbox {
  readonly pushes: PushGateway
  readonly texts: SmsGateway
  /** Newest first. */
  list(instance: Instance): Promise<readonly Kept<OutboxEntry>[]>
  get(instance: Instance, id: string): Promise<Kept<OutboxEntry> | undefined>
  removeAll(instance: Instance): Promise<void>
}

export interface DevOutboxOptions {
  readonly store: Store
  readonly clock: { now(): number }
  /** Name of the client whose device it is. */
  readonly deviceName: (push: OutgoingPush) => Promise<string | undefined>
}

export function createDevOutbox({ store, clock, deviceName }: DevOutboxOptions): DevOutbox {
  const kept = createKeptList<OutboxEntry>({
    ...{ store, clock, kind: 'dev-outbox-entry', index: 'dev-outbox' },
  })
  return {
    pushes: {
      async send(push) {
        await kept.add(push.instance.id, await toEntry(push, deviceName))
        return { class: 'sent' }
      },
    },
    texts: {
      async send({ instance, notificationId: notification, number, text }: OutgoingText) {
        await kept.add(instance.id, { kind: 'text', notification, number, text })
        return { class: 'sent' }
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
    ...{ kind: 'push', notification, platform, title, body, data },
    device: (await deviceName(push)) ?? platform,
    ...(slug !== undefined && { slug }),
    ...(priority !== undefined && { priority }),
    ...(sound !== undefined && { sound }),
  }
}
