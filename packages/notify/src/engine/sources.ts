import type { Instance } from '@svc/platform'
import type { NotificationRecord } from '../outbox/notification.ts'
import type { NotifyServices } from '../services.ts'

type SourceServices = Pick<NotifyServices, 'apps' | 'oauth'>

/** Whether who posted still exists. @see notifications.md 11 "re-check at release" */
export async function isSourceAlive(
  services: SourceServices,
  instance: Instance,
  { originator, owner, slug, clientId, linkedClientId }: NotificationRecord,
): Promise<boolean> {
  switch (originator) {
    case 'cli':
    case 'stack':
      return true
    case 'konnector':
      return (await services.apps.konnector?.(instance, slug ?? owner)) !== undefined
    case 'app':
      return isInstalled(services, instance, slug ?? owner)
    case 'oauth':
      if (slug === undefined) return isAllowed(services, instance, clientId ?? owner)
      // A linked client needs its app, and lives no longer than its own registration.
      return (
        (await isInstalled(services, instance, slug)) &&
        (linkedClientId === undefined || (await isAllowed(services, instance, linkedClientId)))
      )
  }
}

async function isInstalled(
  { oauth }: SourceServices,
  instance: Instance,
  slug: string,
): Promise<boolean> {
  return (await oauth.apps.installed(instance, slug)) !== undefined
}

/** A client is alive while it is registered and the owner allows it anything. */
async function isAllowed(
  { oauth }: SourceServices,
  instance: Instance,
  id: string,
): Promise<boolean> {
  const client = await oauth.clients.get(instance, id)
  return client !== undefined && (await oauth.clients.access(instance, client.id)).length > 0
}
