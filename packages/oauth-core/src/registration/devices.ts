import type { Instance } from '@svc/platform'
import { type Client, type ClientId, linkedSlug } from '../clients/client.ts'
import { deviceOf, type NotificationPlatform } from '../clients/device-token.ts'
import { listGrants } from '../engine/grant.ts'
import type { OAuthServices } from '../services.ts'
import { changeClient } from './change-client.ts'

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
   * without a live grant are left out, and subscriptions to web pushes made with another key than the present one.
   */
  listNotifiable(instance: Instance): Promise<readonly NotifiableDevice[]>
  /**
   * Takes a token that leads nowhere any more from every client that holds exactly it at that moment; client, grants
   * and platform stay. @returns from how many
   */
  clearDeviceToken(instance: Instance, platform: string, token: string): Promise<number>
}

/** @see notifications.md 13 "devices reached per stage" */
const MAX_EXAMINED = 100

/** {@link Devices.listNotifiable} */
export async function listNotifiable(
  { clients, engine }: OAuthServices,
  instance: Instance,
): Promise<readonly NotifiableDevice[]> {
  const page = { limit: MAX_EXAMINED, order: 'desc' } as const
  const found = await clients.list(instance, 'notifiable', page)
  const grants = await Promise.all(found.clients.map(({ id }) => listGrants(engine, instance, id)))
  const live = found.clients.filter((_, position) => (grants[position]?.length ?? 0) > 0)
  await noteWebPushKey(clients, instance, live)
  const { webPushKey: present } = clients
  return live
    .filter(({ webPushKey = present }) => present === undefined || webPushKey === present)
    .flatMap(toDevice)
}

/** SPEC: D98 - a subscription stored without its key counts as made with the present one, from now on too. */
async function noteWebPushKey(
  clients: OAuthServices['clients'],
  instance: Instance,
  live: readonly Client[],
): Promise<void> {
  const { webPushKey } = clients
  if (webPushKey === undefined) return
  const isWithout = ({ metadata, webPushKey: known }: Client): boolean =>
    known === undefined && deviceOf(metadata)?.platform === 'webpush'
  for (const { id } of live.filter(isWithout)) {
    await clients.change(instance, id, (client) => (isWithout(client) ? { webPushKey } : undefined))
  }
}

/** {@link Devices.clearDeviceToken} */
export async function clearDeviceToken(
  services: OAuthServices,
  instance: Instance,
  platform: string,
  token: string,
): Promise<number> {
  const { clients, log } = services
  let count = 0
  // Who is cleared leaves the list, so each round starts anew.
  for (;;) {
    const holders = await clients.listOfDevice(instance, platform, token)
    const before = count
    for (const { id } of holders) {
      if (!(await clearOf(services, instance, id, { platform, token }))) continue
      count += 1
      log.info('client.device.cleared', { domain: instance.domain, clientId: id, platform })
    }
    if (count === before) return count
  }
}

async function clearOf(
  services: OAuthServices,
  instance: Instance,
  id: ClientId,
  { platform, token }: { readonly platform: string; readonly token: string },
): Promise<boolean> {
  let isCleared = false
  await changeClient(services, instance, id, ({ metadata }) => {
    // Asked about the record that is written: a token that replaced this one meanwhile stays.
    const device = deviceOf(metadata)
    isCleared = device?.platform === platform && device.token === token
    if (!isCleared) return undefined
    const { notification_device_token: _, ...rest } = metadata
    return { metadata: rest }
  })
  return isCleared
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
