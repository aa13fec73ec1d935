import { createHmac, timingSafeEqual } from 'node:crypto'

const TIME_BYTES = 8
const TAG_BYTES = 32
const MAX_CHARS = 256

/** What a message is for: `name` and `additional` are authenticated, not contained. */
export interface MacPurpose {
  readonly name: string
  /** @defaultValue `''` */
  readonly additional?: string
}

/** A message that verified. */
export interface MacMessage {
  readonly value: Buffer
  /** Seconds since the epoch. */
  readonly timeS: number
}

/**
 * `base64url(time || value || HMAC-SHA256(key, name || additional || time || value))`.
 * @param secret - session secret of the instance; the key is `2:` followed by it
 * @param timeS - seconds since the epoch
 * @see login.md 3.4
 */
export function sealMac(
  secret: Uint8Array,
  purpose: MacPurpose,
  value: Uint8Array,
  timeS: number,
): string {
  const time = Buffer.alloc(TIME_BYTES)
  time.writeBigUInt64BE(BigInt(timeS))
  const body = Buffer.concat([time, value])
  return Buffer.concat([body, tagOf(secret, purpose, body)]).toString('base64url')
}

/** The message, or undefined when the text is too long, undecodable, too short or not ours. Never throws. */
export function openMac(
  secret: Uint8Array,
  purpose: MacPurpose,
  text: string,
): MacMessage | undefined {
  if (text.length > MAX_CHARS || !/^[A-Za-z0-9_-]+$/.test(text)) return undefined
  const bytes = Buffer.from(text, 'base64url')
  if (bytes.length < TIME_BYTES + TAG_BYTES) return undefined
  const body = bytes.subarray(0, -TAG_BYTES)
  if (!timingSafeEqual(tagOf(secret, purpose, body), bytes.subarray(-TAG_BYTES))) return undefined
  return {
    value: body.subarray(TIME_BYTES),
    timeS: Number(body.readBigUInt64BE()),
  }
}

function tagOf(secret: Uint8Array, purpose: MacPurpose, body: Uint8Array): Buffer {
  return createHmac('sha256', Buffer.concat([Buffer.from('2:'), secret]))
    .update(purpose.name)
    .update(purpose.additional ?? '')
    .update(body)
    .digest()
}
