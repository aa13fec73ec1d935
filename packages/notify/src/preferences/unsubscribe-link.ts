import { createHmac, timingSafeEqual } from 'node:crypto'
import { type Instance, originOfApp, type SigningKey } from '@svc/platform'
import type { MailLinks } from '../mail/app-mails.ts'
import type { NotificationRecord } from '../outbox/notification.ts'
import type { NotifyServices } from '../services.ts'

/** Scope of an unsubscribe link: mails of one category of one source. */
export interface Unsubscription {
  /** `AccessContext.owner` of the poster. */
  readonly source: string
  readonly category: string
}

type LinkServices = Pick<NotifyServices, 'oauth' | 'settingsSlug'>

const AAD = 'notifications|unsubscribe'
const MAX_LENGTH = 1024
/** Name of the key, what the link is about, HMAC-SHA256 of both. */
const SIGNED = /^(mail\.[1-9][0-9]{0,8})\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]{43})$/

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
  const token = await makeUnsubscribeToken(services, instance, { source: postedBy, category })
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
 * Makes the token of a link that ends mails without logging in: signed with the instance's `mail` key, so that nobody
 * else can make one, no instance takes another's, and no change of sealing keys ends it.
 * @see notifications.md 23.3, RFC 8058, operation.md 3.7
 */
export async function makeUnsubscribeToken(
  { oauth }: Pick<NotifyServices, 'oauth'>,
  instance: Instance,
  { source, category }: Unsubscription,
): Promise<string> {
  const key = await oauth.keyring.current(instance, 'mail')
  const payload = Buffer.from(JSON.stringify([source, category])).toString('base64url')
  const text = `${key.kid}.${payload}`
  return `${text}.${macOf(key, text).toString('base64url')}`
}

/** Reads such a token, or a sealed one of an older version; undefined for tokens that this instance did not make. */
export async function readUnsubscribeToken(
  services: Pick<NotifyServices, 'oauth'>,
  instance: Instance,
  token: string,
): Promise<Unsubscription | undefined> {
  if (token.length > MAX_LENGTH) return undefined
  const [, kid, payload, mac] = SIGNED.exec(token) ?? []
  if (kid === undefined || payload === undefined || mac === undefined) {
    return readSealedToken(services, instance, token)
  }
  const key = await services.oauth.keyring.find(instance, 'mail', kid)
  if (key === undefined) return undefined
  const given = Buffer.from(mac, 'base64url')
  if (given.toString('base64url') !== mac) return undefined // Another spelling of it.
  if (!timingSafeEqual(macOf(key, `${kid}.${payload}`), given)) return undefined
  return parse(Buffer.from(payload, 'base64url'))
}

/** Until mails of older versions are gone, as long as the sealing key is in the keyring. */
function readSealedToken(
  { oauth }: Pick<NotifyServices, 'oauth'>,
  { id }: Pick<Instance, 'id'>,
  token: string,
): Unsubscription | undefined {
  try {
    return parse(oauth.sealer.derive(id, 'svc/notify/unsubscribe').open(token, AAD))
  } catch {
    return undefined
  }
}

function macOf({ hmacKey }: SigningKey, text: string): Buffer {
  return createHmac('sha256', hmacKey).update(`${AAD}|${text}`).digest()
}

/** Of a text that this instance made. */
function parse(bytes: Buffer): Unsubscription {
  const [source, category] = JSON.parse(bytes.toString('utf8')) as [string, string]
  return { source, category }
}
