import { type NotifiableDevice, type OAuth } from '@svc/oauth-core'
import { type Instance, isSlug } from '@svc/platform'
import type { NotificationRecord } from '../../outbox/notification.ts'

/** Devices that a notification may go to, newest first, each token once. */
export interface Stages {
  /** Of the app that posted it, or of clients with the software of the one that did. */
  readonly dedicated: readonly NotifiableDevice[]
  /** Devices of the flagship app: only when no other device was reached. */
  readonly flagship: readonly NotifiableDevice[]
}

/** @see notifications.md 16.1 (1) to (5) */
export async function findStages(
  oauth: Pick<OAuth, 'apps' | 'clients'>,
  instance: Instance,
  record: Pick<NotificationRecord, 'clientId' | 'slug'>,
): Promise<Stages> {
  const devices = await oauth.clients.listNotifiable(instance)
  const isDedicated = await dedicationOf(oauth, instance, record)
  const seen = new Set<string>()
  const unseen = ({ token }: NotifiableDevice): boolean => {
    const isNew = !seen.has(token)
    seen.add(token)
    return isNew
  }
  const dedicated = devices.filter(
    (device) => !device.flagship && isDedicated(device) && unseen(device),
  )
  return { dedicated, flagship: devices.filter((device) => device.flagship && unseen(device)) }
}

async function dedicationOf(
  { apps, clients }: Pick<OAuth, 'apps' | 'clients'>,
  instance: Instance,
  { slug, clientId }: Pick<NotificationRecord, 'clientId' | 'slug'>,
): Promise<(device: NotifiableDevice) => boolean> {
  if (slug !== undefined && slug !== '') {
    // SPEC: notifications.md 17 - a client that loses its linked app stops receiving at once.
    const app = isSlug(slug) ? await apps.installed(instance, slug) : undefined
    return ({ linkedSlug }) => app !== undefined && linkedSlug === slug
  }
  const poster = clientId === undefined ? undefined : await clients.get(instance, clientId)
  return ({ softwareId }) => softwareId === poster?.metadata.software_id
}
