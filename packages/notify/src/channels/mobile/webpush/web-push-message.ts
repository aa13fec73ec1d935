import { byteLength, fitPayload, MAX_WEB_PUSH_BYTES, wholeSeconds } from '../payload-size.ts'
import type { OutgoingPush } from '../push-gateway.ts'

/** How long a push service keeps what has no time to live of its own: 28 days. */
const DEFAULT_TTL_S = 2_419_200

/** Where a subscription leads, and what its messages are encrypted for. @see RFC 8291 2 */
export interface Subscription {
  readonly endpoint: URL
  /** base64url. */
  readonly p256dh: string
  /** base64url. */
  readonly auth: string
}

/** Reads a device token of `webpush`, which was checked when the device gave it. */
export function parseSubscription(token: string): Subscription | undefined {
  try {
    const { endpoint, keys } = JSON.parse(token) as {
      readonly endpoint: string
      readonly keys: { readonly p256dh: string; readonly auth: string }
    }
    return { endpoint: new URL(endpoint), p256dh: keys.p256dh, auth: keys.auth }
  } catch {
    return undefined
  }
}

/** @see RFC 8030 5.2 to 5.4 */
export function toWebPushHeaders({
  ttlMs,
  priority,
  collapseHash,
}: OutgoingPush): Readonly<Record<string, string>> {
  return {
    TTL: String(ttlMs === undefined ? DEFAULT_TTL_S : wholeSeconds(ttlMs)),
    ...(priority !== undefined && { Urgency: priority }),
    // 32 hex digits are 32 characters of base64url.
    Topic: collapseHash,
    'Content-Encoding': 'aes128gcm',
    'Content-Type': 'application/octet-stream',
  }
}

/** Payload for the service worker, as JSON; undefined when it cannot be cut to size. @see decision D39 */
export function toPlaintext(push: OutgoingPush): string | undefined {
  const fitting = fitPayload(push, MAX_WEB_PUSH_BYTES, (candidate) =>
    byteLength(toObject(candidate)),
  )
  return fitting === undefined ? undefined : JSON.stringify(toObject(fitting))
}

function toObject({ title, body, collapseHash, notId, sound, data }: OutgoingPush): object {
  const facts = { title, body, tag: collapseHash, notId }
  return { ...facts, ...(sound !== undefined && { sound }), data }
}
