import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'

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
 * @param key - `messageKey` of the instance's session key
 * @param timeS - seconds since the epoch
 * @see login.md 3.4
 */
export function sealMac(
  key: KeyObject,
  purpose: MacPurpose,
  value: Uint8Array,
  timeS: number,
): string {
  const time = Buffer.alloc(TIME_BYTES)
  time.writeBigUInt64BE(BigInt(timeS))
  const body = Buffer.concat([time, value])
  return Buffer.concat([body, tagOf(key, purpose, body)]).toString('base64url')
}

/** The message, or undefined when the text is too long, not canonical base64url, too short or not ours. Never throws. */
export function openMac(key: KeyObject, purpose: MacPurpose, text: string): MacMessage | undefined {
  if (text.length > MAX_CHARS) return undefined
  const bytes = Buffer.from(text, 'base64url')
  // One message has one spelling.
  if (bytes.length < TIME_BYTES + TAG_BYTES || bytes.toString('base64url') !== text)
    return undefined
  const body = bytes.subarray(0, -TAG_BYTES)
  if (!timingSafeEqual(tagOf(key, purpose, body), bytes.subarray(-TAG_BYTES))) return undefined
  return {
    value: body.subarray(TIME_BYTES),
    timeS: Number(body.readBigUInt64BE()),
  }
}

function tagOf(key: KeyObject, purpose: MacPurpose, body: Uint8Array): Buffer {
  return createHmac('sha256', key)
    .update(purpose.name)
    .update(purpose.additional ?? '')
    .update(body)
    .digest()
}
