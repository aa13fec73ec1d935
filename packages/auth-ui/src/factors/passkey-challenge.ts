import { createHash, createHmac, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Instance } from '@svc/platform'
import { type Change, secretKey } from '@svc/store'
import type { AuthUiServices } from '../services.ts'

/** What a passkey is asked for; what is good for one is good for nothing else. */
export type PasskeyPurpose = 'login' | 'confirm'

const TIME_BYTES = 4
const RANDOM_BYTES = 16
const TAG_BYTES = 12
const BODY_BYTES = TIME_BYTES + RANDOM_BYTES
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/
/** Between the clocks of two processes. */
const CLOCK_SKEW_MS = 60_000

type Services = Pick<AuthUiServices, 'clock' | 'keyring' | 'lifetimes' | 'store'>

/**
 * A challenge that nothing is stored for: `time || random || MAC`, base64url, 32 bytes. The MAC covers the purpose and
 * the token of the browser's CSRF cookie, under the session key: another browser's is not good here, and a new
 * passphrase ends all.
 * @see owner.md 2.3
 */
export async function newPasskeyChallenge(
  { clock, keyring }: Pick<Services, 'clock' | 'keyring'>,
  instance: Instance,
  purpose: PasskeyPurpose,
  csrfToken: string,
): Promise<string> {
  const { messageKey } = await keyring.current(instance, 'session')
  const time = Buffer.alloc(TIME_BYTES)
  time.writeUInt32BE(Math.floor(clock.now() / 1000))
  const body = Buffer.concat([time, randomBytes(RANDOM_BYTES)])
  return Buffer.concat([body, tagOf(messageKey, purpose, csrfToken, body)]).toString('base64url')
}

/** Whether the challenge was made for this browser and purpose, and is within its life. It may have been used. */
export async function isPasskeyChallenge(
  { clock, keyring, lifetimes }: Pick<Services, 'clock' | 'keyring' | 'lifetimes'>,
  instance: Instance,
  purpose: PasskeyPurpose,
  csrfTokens: readonly string[],
  challenge: string,
): Promise<boolean> {
  if (!CHALLENGE.test(challenge)) return false
  const { messageKey } = await keyring.current(instance, 'session')
  const bytes = Buffer.from(challenge, 'base64url')
  // Used challenges are found by their text: each has one spelling.
  if (bytes.toString('base64url') !== challenge) return false
  const body = bytes.subarray(0, BODY_BYTES)
  const tag = bytes.subarray(BODY_BYTES)
  const isOurs = csrfTokens.some((token) =>
    timingSafeEqual(tagOf(messageKey, purpose, token, body), tag),
  )
  const ageMs = clock.now() - body.readUInt32BE() * 1000
  // Seconds are cut off the time, so the age is up to a second too high.
  return isOurs && ageMs < lifetimes.passkeyChallenge + 1000 && ageMs >= -CLOCK_SKEW_MS
}

/** The change that uses a challenge up, kept until the challenge is surely too old. */
export function usePasskeyChallenge(
  { clock, lifetimes }: Pick<Services, 'clock' | 'lifetimes'>,
  instance: Instance,
  challenge: string,
): Change {
  return {
    op: 'put',
    key: secretKey(instance.id, 'passkey-use', challenge),
    value: true,
    expiresAt: clock.now() + 2 * lifetimes.passkeyChallenge,
    ifAbsent: true,
  }
}

/** Whether it was used. */
export async function isPasskeyChallengeUsed(
  { store }: Pick<Services, 'store'>,
  instance: Instance,
  challenge: string,
): Promise<boolean> {
  return (await store.get(secretKey(instance.id, 'passkey-use', challenge))) !== undefined
}

function tagOf(
  key: KeyObject,
  purpose: PasskeyPurpose,
  csrfToken: string,
  body: Uint8Array,
): Buffer {
  return createHmac('sha256', key)
    .update(`passkey-${purpose}`)
    .update(createHash('sha256').update(csrfToken).digest())
    .update(body)
    .digest()
    .subarray(0, TAG_BYTES)
}
