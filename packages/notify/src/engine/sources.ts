import type { Instance, OAuth } from '@svc/oauth-core'
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

  return {
    async isAlive(instance, { originator, owner, slug, clientId }) {
      switch (originator) {
        case 'cli':
        case 'stack':
          return true
        case 'konnector':
          return (await apps.konnector?.(instance, slug ?? owner)) !== undefined
        case 'app':
          return (await oauth.apps.installed(instance, slug ?? owner)) !== undefined
        case 'oauth':
          // Of a linked client the app counts: any client of it may have posted (D30).
          return slug === undefined
            ? (await oauth.clients.get(instance, clientId ?? owner)) !== undefined
            : (await oauth.apps.installed(instance, slug)) !== undefined
      }
    },
  }
}
