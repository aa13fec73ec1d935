import { type AccessContext, linkedSlug } from '@svc/oauth-core'
import type { Originator } from '../outbox/notification.ts'

/** Who posts a notification. @see notifications.md 2, 4.1, 6 */
export interface Poster {
  readonly originator: Originator
  /** Of the source: slug, or client id of an unlinked client. Empty for `stack`. */
  readonly owner: string
  /** Who may read and cancel it: an app and its linked clients are one (D30). Empty for this server itself. */
  readonly postedBy: string
  readonly slug?: string
  /** Of an unlinked client. */
  readonly clientId?: string
  /** Of a client that is linked to the app of `slug`. */
  readonly linkedClientId?: string
}

/** A poster that shows a token. */
export interface TokenPoster extends Poster {
  readonly access: AccessContext
  /** Whom the token is for: an app, a konnector, one client. Idempotency keys are its own. */
  readonly subject: string
}

/**
 * The poster that a token speaks for; services of a web app use the app's token (2.3). A client is linked by its software
 * id, regardless of its scope: the certified app too.
 */
export function posterOf(access: AccessContext, namespace: string): TokenPoster | undefined {
  const { client } = access
  if (client !== undefined) {
    const slug = linkedSlug(client.metadata.software_id)
    const subject = `client:${client.id}`
    if (slug === undefined) {
      const source = { originator: 'oauth', owner: client.id, clientId: client.id } as const
      return { ...source, postedBy: access.owner, access, subject }
    }
    const postedBy = `${namespace}.apps/${slug}`
    const source = { originator: 'oauth', owner: slug, linkedClientId: client.id } as const
    return { ...source, postedBy, slug, access, subject }
  }
  const { kind, app, konnector, owner: postedBy } = access
  if (kind === 'app' && app !== undefined) {
    const { slug } = app
    return { originator: 'app', owner: slug, postedBy, slug, access, subject: `app:${slug}` }
  }
  if (kind === 'konnector' && konnector !== undefined) {
    const { slug } = konnector
    const subject = `konnector:${slug}`
    return { originator: 'konnector', owner: slug, postedBy, slug, access, subject }
  }
  return undefined
}

/**
 * Whether the poster may post at all: apps, konnectors and linked clients by what they declared, other clients by the
 * scope that the owner allowed them, since their declaration is their own word. @see notifications.md 2.4
 */
export function mayPost({ access, clientId }: TokenPoster, namespace: string): boolean {
  return clientId === undefined || access.allows('POST', `${namespace}.notifications`)
}
