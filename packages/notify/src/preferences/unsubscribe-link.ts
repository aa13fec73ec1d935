import { type Instance, originOfApp, type Sealer } from '@svc/platform'
import type { MailLinks } from '../mail/app-mails.ts'
import type { NotificationRecord } from '../outbox/notification.ts'
import type { NotifyServices } from '../services.ts'

/** What a link in a mail may switch off: mails of one category of one source. */
export interface Unsubscription {
  /** `AccessContext.owner` of the poster. */
  readonly source: string
  readonly category: string
}

type LinkServices = Pick<NotifyServices, 'oauth' | 'settingsSlug'>

const AAD = 'notifications|unsubscribe'
const MAX_LENGTH = 1024

/**
 * The links in the footer of a notification's mail. What this server itself says cannot be ended.
 * @see notifications.md 23.3
 */
export async function notificationLinks(
  services: LinkServices,
  instance: Instance,
  { originator, postedBy, category }: NotificationRecord,
): Promise<MailLinks> {
  const links = await digestLinks(services, instance)
  if (originator === 'stack' || originator === 'cli') return links
  const token = makeUnsubscribeToken(services, instance, { source: postedBy, category })
  const unsubscribe = `${instance.origin}/notifications/unsubscribe?t=${encodeURIComponent(token)}`
  return { ...links, unsubscribe }
}

/** The links in the footer of a mail about several categories. */
export async function digestLinks(services: LinkServices, instance: Instance): Promise<MailLinks> {
  const settings = await settingsLink(services, instance)
  return settings === undefined ? {} : { settings }
}

/** The page of the owner's notification settings; undefined when that app is not installed. */
export async function settingsLink(
  { oauth, settingsSlug }: LinkServices,
  instance: Instance,
): Promise<string | undefined> {
  if ((await oauth.apps.installed(instance, settingsSlug)) === undefined) return undefined
  // In the query: flat app hosts lose a fragment when a session is handed over.
  return `${originOfApp(instance, settingsSlug)}/?section=notifications`
}

/**
 * Makes the token of a link that ends mails without logging in: sealed, so that nobody else can make one, and bound to
 * the instance. It works as long as the sealing key is in the keyring, more than the 60 days that mailbox providers ask
 * for.
 * @see notifications.md 23.3, RFC 8058
 */
export function makeUnsubscribeToken(
  services: Pick<NotifyServices, 'oauth'>,
  instance: Pick<Instance, 'id'>,
  { source, category }: Unsubscription,
): string {
  return sealerOf(services, instance).seal(JSON.stringify([source, category]), AAD)
}

/** Reads such a token; undefined for whatever this instance did not make. */
export function readUnsubscribeToken(
  services: Pick<NotifyServices, 'oauth'>,
  instance: Pick<Instance, 'id'>,
  token: string,
): Unsubscription | undefined {
  if (token.length > MAX_LENGTH) return undefined
  try {
    // Only `makeUnsubscribeToken` seals under this name.
    const [source, category] = JSON.parse(
      sealerOf(services, instance).open(token, AAD).toString('utf8'),
    ) as [string, string]
    return { source, category }
  } catch {
    return undefined
  }
}

function sealerOf(
  { oauth }: Pick<NotifyServices, 'oauth'>,
  { id }: Pick<Instance, 'id'>,
): Pick<Sealer, 'open' | 'seal'> {
  return oauth.sealer.derive(id, 'svc/notify/unsubscribe')
}
