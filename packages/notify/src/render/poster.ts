import type { AppManifest, KonnectorManifest, OAuth } from '@svc/oauth-core'
import type { Instance } from '@svc/platform'
import type { NotificationRecord } from '../outbox/notification.ts'
import type { NotifyApps } from '../ports.ts'

/** Whose notification it is, as mails name it. */
export interface Poster {
  /** Absent: this server itself. */
  readonly name?: string
  readonly slug?: string
  /** The web app as installed, with its folder of templates. */
  readonly app?: AppManifest
  /** The konnector as installed, with its own. */
  readonly konnector?: KonnectorManifest
}

/** The poster as it is now; the name of what is gone is its slug. */
export async function posterOf(
  oauth: Pick<OAuth, 'apps' | 'clients'>,
  apps: NotifyApps,
  instance: Instance,
  { originator, slug, clientId }: NotificationRecord,
): Promise<Poster> {
  if (originator === 'stack') return {}
  if (slug === undefined) {
    const client = clientId === undefined ? undefined : await oauth.clients.get(instance, clientId)
    return client === undefined ? {} : { name: client.metadata.client_name }
  }
  if (originator === 'konnector') {
    const konnector = await apps.konnector?.(instance, slug)
    return { slug, name: konnector?.name ?? slug, ...(konnector !== undefined && { konnector }) }
  }
  const app = await oauth.apps.installed(instance, slug)
  return app === undefined ? { slug, name: slug } : { slug, name: app.name, app }
}
