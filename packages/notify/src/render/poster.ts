import type { AppManifest, KonnectorManifest, OAuth } from '@svc/oauth-core'
import { type Instance, originOfApp } from '@svc/platform'
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
  { originator, slug, clientId, owner }: NotificationRecord,
): Promise<Poster> {
  if (originator === 'stack') return {}
  if (slug === undefined) {
    // Of a client that is gone by now its id is left: its words must not pass for this server's own.
    if (clientId === undefined) return originator === 'oauth' ? { name: owner } : {}
    const client = await oauth.clients.get(instance, clientId)
    return { name: client?.metadata.client_name ?? clientId }
  }
  if (originator === 'konnector') {
    const konnector = await apps.konnector?.(instance, slug)
    return { slug, name: konnector?.name ?? slug, ...(konnector !== undefined && { konnector }) }
  }
  const app = await oauth.apps.installed(instance, slug)
  return app === undefined ? { slug, name: slug } : { slug, name: app.name, app }
}

/**
 * Hosts that mails of a poster lead to without showing them: that of the installed web app, and those of the https
 * addresses that a client registered, which its owner saw. @see D98
 */
export async function ownHostsOf(
  { apps, clients }: Pick<OAuth, 'apps' | 'clients'>,
  instance: Instance,
  { originator, slug, clientId }: Pick<NotificationRecord, 'clientId' | 'originator' | 'slug'>,
): Promise<readonly string[]> {
  const isApp = originator === 'app' && slug !== undefined
  const app = isApp ? await apps.installed(instance, slug) : undefined
  const client = clientId === undefined ? undefined : await clients.get(instance, clientId)
  const { redirect_uris: redirects = [], client_uri: home = '' } = client?.metadata ?? {}
  return [app === undefined ? '' : originOfApp(instance, app.slug), home, ...redirects].flatMap(
    (address) => {
      const url = URL.parse(address)
      return url?.protocol === 'https:' ? [url.host] : []
    },
  )
}
