import { createPublicKey, hash } from 'node:crypto'
import type { ClientMetadata } from './client.ts'

/** Values of `notification_platform`. @see notifications.md 16.2, decision D37 */
export const PLATFORMS = ['android', 'apns', 'firebase', 'huawei', 'ios', 'webpush'] as const
/**
 * Over whom a client gets its pushes: the values of `notification_platform` in its registration.
 * @see docs/push.md of the repository
 * @example
 * const registration = { notification_platform: 'webpush' satisfies NotificationPlatform }
 */
export type NotificationPlatform = (typeof PLATFORMS)[number]

const MAX_ENDPOINT_CHARACTERS = 2048

export function isPlatform(text: string | undefined): text is NotificationPlatform {
  // A list of texts, searched for any text.
  return (PLATFORMS as readonly (string | undefined)[]).includes(text)
}

/** Whether a text can be a device token at all. @see notifications.md 17 */
export function isDeviceToken(text: string): boolean {
  return /^[\x21-\x7e]{1,4096}$/.test(text)
}

/**
 * Whether the token is one of the platform: tokens of `apns` go into a path, `webpush` has a subscription.
 * @see notifications.md 17, decision D37
 */
export function fitsPlatform(token: string, platform: string | undefined): boolean {
  if (platform === 'apns') return /^[0-9a-fA-F]{64,200}$/.test(token)
  return platform !== 'webpush' || isSubscription(token)
}

/** The device of a client as far as it can be notified: both members are there. */
export function deviceOf({
  notification_platform: platform,
  notification_device_token: token,
}: ClientMetadata):
  | { readonly platform: NotificationPlatform; readonly token: string }
  | undefined {
  return isPlatform(platform) && token !== undefined && token !== ''
    ? { platform, token }
    : undefined
}

/** What a device is found by: its token is a secret of its client. */
export function deviceDigest(platform: string, token: string): string {
  return hash('sha256', `${platform} ${token}`, 'base64url')
}

/** What a subscription keeps of the server's key that it was made with: 128 bits of its SHA-256. */
export function webPushKeyDigest(publicKey: string): string {
  return hash('sha256', publicKey, 'buffer').toString('base64url', 0, 16)
}

/** `PushSubscription.toJSON()`, as text: an https endpoint, a P-256 point and 16 bytes. @see RFC 8030, RFC 8291 2 */
function isSubscription(text: string): boolean {
  const { endpoint, keys } = parseObject(text)
  if (typeof endpoint !== 'string' || typeof keys !== 'object' || keys === null) return false
  const { p256dh, auth } = keys as Readonly<Record<string, unknown>> // An object, as just seen.
  return isHttpsUrl(endpoint) && isPoint(p256dh) && bytesOf(auth)?.length === 16
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}

function isHttpsUrl(text: string): boolean {
  if (text.length > MAX_ENDPOINT_CHARACTERS || !URL.canParse(text)) return false
  const { protocol, username, password } = new URL(text)
  return protocol === 'https:' && username === '' && password === ''
}

function isPoint(value: unknown): boolean {
  const point = bytesOf(value)
  if (point?.length !== 65 || point[0] !== 4) return false
  const x = point.toString('base64url', 1, 33)
  const y = point.toString('base64url', 33)
  try {
    // Refuses what is not on the curve.
    createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' })
    return true
  } catch {
    return false
  }
}

function bytesOf(value: unknown): Buffer | undefined {
  return typeof value === 'string' && /^[A-Za-z0-9_-]+$/.test(value)
    ? Buffer.from(value, 'base64url')
    : undefined
}
