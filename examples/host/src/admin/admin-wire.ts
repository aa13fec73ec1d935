import type { OwnerAccessFacts } from '@svc/auth-ui'
import type { Client } from '@svc/oauth-core'
import type { Instance } from '@svc/platform'
import type { KeptMail } from '../notifications/development.ts'

/** What the admin API tells of an instance. */
export function instanceToWire(
  instance: Instance,
  isOnboarded: boolean,
  { authMode, magicLink }: OwnerAccessFacts,
  phone: string | undefined,
): Record<string, unknown> {
  const { domain, origin, aliases, locale, status, settings } = instance
  const { context, email, publicName, timeZone } = instance
  return {
    domain,
    origin,
    aliases,
    locale,
    status,
    onboarded: isOnboarded,
    auth_mode: authMode,
    magic_link: magicLink,
    context,
    email,
    phone,
    publicName,
    timeZone,
    oauthClientsMax: settings.oauthClientsMax,
    diskQuota: settings.diskQuota,
    createdAt: new Date(instance.createdAt).toISOString(),
  }
}

/** What it tells of a client: no secret. */
export function clientToWire(client: Client): Record<string, unknown> {
  const { id, metadata, pending, flagship, certifiedFromStore, os } = client
  return {
    client_id: id,
    ...metadata,
    pending,
    flagship,
    certified_from_store: certifiedFromStore,
    client_os: os,
    created_at: new Date(client.createdAt).toISOString(),
    last_refreshed_at:
      client.lastRefreshedAt === undefined
        ? undefined
        : new Date(client.lastRefreshedAt).toISOString(),
  }
}

/** A mail of the development mailbox, as text. */
export function mailToWire({ id, keptAt, mail }: KeptMail): Record<string, unknown> {
  return {
    id,
    date: new Date(keptAt).toISOString(),
    from: mail.from.address,
    to: mail.to.address,
    subject: mail.subject,
    template: mail.template,
    text: mail.text,
  }
}
