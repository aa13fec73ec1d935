import { createECDH, createPrivateKey, type KeyObject } from 'node:crypto'
import { SignJWT } from 'jose'
import type { WebPushOptions } from '../../../options.ts'

/** At most 24 h ahead. @see RFC 8292 2 */
const GOOD_FOR_S = 12 * 3600

/** What is wrong with the options; the first fault, undefined when there is none. */
export function vapidFault({ publicKey, privateKey, subject }: WebPushOptions): string | undefined {
  if (!isSubject(subject)) return 'subject: is neither mailto: nor https:'
  const key = readKey({ publicKey, privateKey })
  return key === undefined ? 'publicKey, privateKey: are no key pair of P-256' : undefined
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

function isSubject(text: string): boolean {
  return URL.canParse(text) && ['https:', 'mailto:'].includes(new URL(text).protocol)
}
