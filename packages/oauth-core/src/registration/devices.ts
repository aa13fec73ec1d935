import type { Engine } from '../engine/engine.ts'
import type { Instance, Logger } from '@svc/platform'
import type { Client, ClientId } from '../clients/client.ts'
import { linkedSlug } from '../clients/client.ts'
import type { ClientChange, ClientStore } from '../clients/client-store.ts'
import { deviceOf, type NotificationPlatform } from '../clients/device-token.ts'

/** A device that its owner may be notified on. */
export interface NotifiableDevice {
  readonly clientId: ClientId
  readonly platform: NotificationPlatform
  /** As the client gave it; a subscription as JSON for `webpush`. Never to be logged. */
  readonly token: string
  /** When the client gave it last. Milliseconds since the epoch. */
  readonly tokenSince: number
  /** Whether it runs the flagship app. */
  readonly flagship: boolean
  readonly softwareId: string
  /** Slug of the web app that the client is linked to. */
  readonly linkedSlug?: string
  /** Milliseconds since the epoch. */
  readonly createdAt: number
}

/** Devices of the clients that the owner allowed something. @see notifications.md 16.1, 16.8 */
export interface Devices {
  /**
   * The devices of the newest hundred clients that were allowed and gave a platform and a token, newest first; those
   * without a live grant are left out.
   */
  listNotifiable(instance: Instance): Promise<readonly NotifiableDevice[]>
  /**
   * Takes a token that leads nowhere any more from every client that holds exactly it at that moment; client, grants
   * and platform stay. @returns from how many
   */
  clearDeviceToken(instance: Instance, platform: string, token: string): Promise<number>
}

export interface DevicesOptions {
  readonly clients: Pick<ClientStore, 'list' | 'listOfDevice'>
  readonly engine: Pick<Engine, 'listGrants'>
  readonly log: Logger
  /** Changes a client and tells everybody who remembers it. */
  readonly change: (
    instance: Instance,
    id: ClientId,
    rule: (client: Client) => ClientChange | undefined,
  ) => Promise<Client | undefined>
}

/** @see notifications.md 13 "devices reached per stage" */
const MAX_EXAMINED = 100

export function createDevices({ clients, engine, log, change }: DevicesOptions): Devices {
  async function hasGrant(instance: Instance, { id }: Client): Promise<boolean> {
    return (await engine.listGrants(instance, id)).length > 0
  }

  async function clear(instance: Instance, id: ClientId, platform: string, token: string) {
    let isCleared = false
    await change(instance, id, ({ metadata }) => {
      // Asked about the record that is written: a token that replaced this one meanwhile stays.
      const device = deviceOf(metadata)
      isCleared = device?.platform === platform && device.token === token
      if (!isCleared) return undefined
      const { notification_device_token: _, ...rest } = metadata
      return { metadata: rest }
    })
    return isCleared
  }

  return {
    async listNotifiable(instance) {
      const page = { limit: MAX_EXAMINED, order: 'desc' } as const
      const found = await clients.list(instance, 'notifiable', page)
      const allowed = await Promise.all(found.clients.map((client) => hasGrant(instance, client)))
      return found.clients.filter((_, position) => allowed[position]).flatMap(toDevice)
    },

    async clearDeviceToken(instance, platform, token) {
      let count = 0
      // Who is cleared leaves the list, so each round starts anew.
      for (;;) {
        const holders = await clients.listOfDevice(instance, platform, token)
        const before = count
        for (const { id } of holders) {
          if (!(await clear(instance, id, platform, token))) continue
          count += 1
          log.info('client.device.cleared', { domain: instance.domain, clientId: id, platform })
        }
        if (count === before) return count
      }
    },
  }
}

function toDevice(client: Client): NotifiableDevice[] {
  const { id: clientId, metadata, flagship, createdAt } = client
  const device = deviceOf(metadata)
  if (device === undefined) return []
  const slug = linkedSlug(metadata.software_id)
  return [
    {
      clientId,
      ...device,
      tokenSince: client.deviceTokenAt ?? createdAt,
      flagship,
      softwareId: metadata.software_id,
      ...(slug !== undefined && { linkedSlug: slug }),
      createdAt,
    },
  ]
}
