import type { MailTransport, OutgoingMail } from '@svc/notify'
import type { Instance, InstanceId } from '@svc/oauth-core'
import { type Json, indexKey, type Key, recordKey, type Store } from '@svc/store'
import { randomBytes } from 'node:crypto'

/** A mail that was not sent. */
export interface KeptMail {
  readonly id: string
  /** Milliseconds since the epoch. */
  readonly keptAt: number
  readonly mail: OutgoingMail
}

/** Keeps the last mails of each instance instead of sending them; for development. */
export interface DevMailbox extends MailTransport {
  /** Newest first. */
  list(instance: Instance): Promise<readonly KeptMail[]>
  get(instance: Instance, id: string): Promise<KeptMail | undefined>
  removeAll(instance: Instance): Promise<void>
}

const MAX_MAILS = 50
const KEPT_MS = 7 * 86_400_000

export function createDevMailbox(store: Store, clock: { now(): number }): DevMailbox {
  async function keysOf(id: InstanceId): Promise<Key[]> {
    const page = await store.list(indexKey(id, 'dev-mails'))
    return page.records.map(({ key }) => key)
  }

  async function drop(keys: readonly Key[]): Promise<void> {
    if (keys.length > 0) await store.write(keys.map((key) => ({ op: 'delete', key })))
  }

  return {
    async send(mail) {
      const keptAt = clock.now()
      const id = randomBytes(16).toString('hex')
      const value: KeptMail = { id, keptAt, mail }
      await store.write([
        {
          op: 'put',
          key: keyOf(mail.instanceId, id),
          value: value as unknown as Json, // An interface has no index signature; this one is plain JSON.
          expiresAt: keptAt + KEPT_MS,
          indexes: [
            {
              index: indexKey(mail.instanceId, 'dev-mails'),
              sort: `${String(keptAt).padStart(15, '0')}:${id}`,
            },
          ],
        },
      ])
      const keys = await keysOf(mail.instanceId)
      await drop(keys.slice(0, Math.max(0, keys.length - MAX_MAILS)))
    },
    async list(instance) {
      const page = await store.list(indexKey(instance.id, 'dev-mails'), {
        limit: MAX_MAILS,
        order: 'desc',
      })
      return page.records.map(({ value }) => value as unknown as KeptMail) // Written above.
    },
    async get(instance, id) {
      if (!/^[0-9a-f]{32}$/.test(id)) return undefined
      const record = await store.get(keyOf(instance.id, id))
      return record === undefined ? undefined : (record.value as unknown as KeptMail) // Written above.
    },
    removeAll: async (instance) => drop(await keysOf(instance.id)),
  }
}

function keyOf(instanceId: InstanceId, id: string): Key {
  return recordKey(instanceId, 'dev-mail', id)
}
