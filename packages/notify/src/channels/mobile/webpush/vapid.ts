import { createECDH, createPrivateKey, type KeyObject } from 'node:crypto'
import { isIP } from 'node:net'
import { parseAddress } from '@svc/platform'
import { object, type Option, text } from '@svc/platform/options'

/** At most 24 h ahead. @see RFC 8292 2 */
const GOOD_FOR_S = 12 * 3600

/** @see RFC 8292 */
export interface WebPushOptions {
  /** Uncompressed P-256 point, base64url. */
  readonly publicKey: string
  /** base64url. */
  readonly privateKey: string
  /** `mailto:` or `https:` of the operator, with a public host. */
  readonly subject: string
}

/** The option that holds them. */
export function webPushOptions(): Option<WebPushOptions> {
  return object({
    publicKey: text('an uncompressed P-256 point in base64url'),
    privateKey: text('the private half in base64url'),
    subject: text('a mailto: or https: URL with a public host', isSubject),
  }).that((pair) =>
    readKey(pair) === undefined
      ? 'publicKey and privateKey must be a key pair of P-256'
      : undefined,
  )
}

/** Proves to push services who sends. @see RFC 8292 */
export interface Vapid {
  /** The `Authorization` header for an endpoint's origin. */
  authorize(origin: string, now: number): Promise<string>
}

/** @throws TypeError when the keys are no pair */
export function createVapid(options: WebPushOptions): Vapid {
  const key = readKey(options)
  if (key === undefined) throw new TypeError('not a key pair of P-256')
  return {
    async authorize(origin, now) {
      const { SignJWT } = await import('jose')
      const token = await new SignJWT()
        .setProtectedHeader({ alg: 'ES256', typ: 'JWT' })
        .setAudience(origin)
        .setExpirationTime(Math.floor(now / 1000) + GOOD_FOR_S)
        .setSubject(options.subject)
        .sign(key)
      return `vapid t=${token}, k=${options.publicKey}`
    },
  }
}

function readKey(pair: Pick<WebPushOptions, 'publicKey' | 'privateKey'>): KeyObject | undefined {
  const isPlain = [pair.publicKey, pair.privateKey].every((text) => /^[A-Za-z0-9_-]+$/.test(text))
  const secret = Buffer.from(pair.privateKey, 'base64url')
  if (!isPlain || secret.length !== 32) return undefined
  try {
    const curve = createECDH('prime256v1')
    curve.setPrivateKey(secret)
    const point = curve.getPublicKey()
    // What belongs to the private half must be the public half that browsers are given.
    if (point.toString('base64url') !== pair.publicKey) return undefined
    const x = point.toString('base64url', 1, 33)
    const y = point.toString('base64url', 33)
    const jwk = { kty: 'EC', crv: 'P-256', x, y, d: pair.privateKey }
    return createPrivateKey({ key: jwk, format: 'jwk' })
  } catch {
    return undefined
  }
}

/** Push services refuse a subject that leads nowhere. @see RFC 8292 2.1; RFC 6761, RFC 6762, RFC 8375 */
function isSubject(subject: string): boolean {
  const url = URL.parse(subject)
  if (url?.protocol === 'https:') return isPublicName(url.hostname)
  const address = url?.protocol === 'mailto:' ? parseAddress(url.pathname) : undefined
  return address !== undefined && isPublicName(address.slice(address.indexOf('@') + 1))
}

const PRIVATE = /(?:^|\.)(?:home\.arpa|internal|invalid|local|localhost|onion|test)$/

function isPublicName(host: string): boolean {
  const name = host.replace(/\.$/, '')
  return name.includes('.') && isIP(name) === 0 && !PRIVATE.test(name)
}
