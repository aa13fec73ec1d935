import type { OAuth } from '@svc/oauth-core'
import type { Instance } from '@svc/platform'
import type { NotificationRecord } from '../outbox/notification.ts'
import type { NotifyApps } from '../ports.ts'

/** Whether who posted still exists. @see notifications.md 11 "re-check at release" */
export interface Sources {
  isAlive(instance: Instance, record: NotificationRecord): Promise<boolean>
}

export function createSources(options: {
  readonly oauth: Pick<OAuth, 'apps' | 'clients'>
  readonly apps: Pick<NotifyApps, 'konnector'>
}): Sources {
  const { oauth, apps } = options

  const isInstalled = async (instance: Instance, slug: string): Promise<boolean> =>
    (await oauth.apps.installed(instance, slug)) !== undefined

  /** A client is alive while it is registered and the owner allows it anything. */
  async function isAllowed(instance: Instance, id: string): Promise<boolean> {
    const client = await oauth.clients.get(instance, id)
    return client !== undefined && (await oauth.clients.access(instance, client.id)).length > 0
  }

  return {
    async isAlive(instance, { originator, owner, slug, clientId, linkedClientId }) {
      switch (originator) {
        case 'cli':
        case 'stack':
          return true
        case 'konnector':
          return (await apps.konnector?.(instance, slug ?? owner)) !== undefined
        case 'app':
          return isInstalled(instance, slug ?? owner)
        case 'oauth':
          if (slug === undefined) return isAllowed(instance, clientId ?? owner)
          // A linked client needs its app, and lives no longer than its own registration.
          return (
            (await isInstalled(instance, slug)) &&
            (linkedClientId === undefined || (await isAllowed(instance, linkedClientId)))
          )
      }
    },
  }
}
