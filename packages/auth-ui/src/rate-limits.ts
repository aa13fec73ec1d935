import {
  createRateLimits as createCounters,
  DAY_MS,
  HOUR_MS,
  type Instance,
  MINUTE_MS,
  type RateLimit,
  type RateLimits as Counters,
} from '@svc/platform'
import type { Store } from '@svc/store'
import { AuthUiError } from './errors.ts'

/** Names of {@link DEFAULT_LIMITS}. */
export type Bucket =
  | 'activation-code'
  | 'auth'
  | 'auth-ip'
  | 'confirm-code'
  | 'email-change'
  | 'email-change-mail'
  | 'email-token'
  | 'hint-change'
  | 'known-device'
  | 'login-throttled-mail'
  | 'magic-code-passphrase'
  | 'magic-link'
  | 'magic-link-send'
  | 'new-connection-mail'
  | 'passkey-ip'
  | 'passphrase-reset'
  | 'phone-text'
  | 'phone-text-pace'
  | 'register-guess'
  | 'resend-onboarding-mail'
  | 'reset-guess'
  | 'send-hint'
  | 'session-code'
  | 'share-password'
  | 'share-password-ip'
  | 'totp-enrolment'
  | 'transfer-code'
  | 'two-factor'
  | 'two-factor-generation'
  | 'two-factor-token'

/** Buckets of this package and what they count. @see login.md 4.7, decision D15 */
export const DEFAULT_LIMITS: Readonly<Record<Bucket, RateLimit>> = {
  /** Wrong codes of one activation of the mail factor. */
  'activation-code': { limit: 5, windowMs: 5 * MINUTE_MS },
  /** Wrong passphrases of an instance, over all paths. */
  auth: { limit: 100, windowMs: HOUR_MS },
  /** Wrong passphrases from an address. */
  'auth-ip': { limit: 20, windowMs: 15 * MINUTE_MS },
  /** Wrong confirmation codes from an address. */
  'confirm-code': { limit: 60, windowMs: HOUR_MS },
  /** Changes of the mail address that were asked for. */
  'email-change': { limit: 3, windowMs: DAY_MS },
  /** Mails to an address that is to become the owner's. */
  'email-change-mail': { limit: 6, windowMs: DAY_MS },
  /** Wrong tokens of mails about a changed address, from an address. */
  'email-token': { limit: 10, windowMs: HOUR_MS },
  /** Hints that are compared with the passphrase when they are set. */
  'hint-change': { limit: 20, windowMs: HOUR_MS },
  /** Wrong passphrases from a browser that logged in before, or with a live session. */
  'known-device': { limit: 10, windowMs: 15 * MINUTE_MS },
  /** Mails telling of too many wrong passphrases. */
  'login-throttled-mail': { limit: 1, windowMs: DAY_MS },
  /** Wrong passphrases with one magic code; after the last one it is dead. */
  'magic-code-passphrase': { limit: 5, windowMs: 15 * MINUTE_MS },
  /** Wrong magic codes from an address: strangers' guesses keep nobody else out. */
  'magic-link': { limit: 30, windowMs: HOUR_MS },
  /** Mails with a magic link. */
  'magic-link-send': { limit: 5, windowMs: HOUR_MS },
  /** Mails telling of a login from a new place. */
  'new-connection-mail': { limit: 1, windowMs: HOUR_MS },
  /** Refused passkeys from an address. They cannot be guessed: nobody else is kept out. */
  'passkey-ip': { limit: 20, windowMs: 15 * MINUTE_MS },
  /** Mails with a link to a new passphrase. */
  'passphrase-reset': { limit: 5, windowMs: HOUR_MS },
  /** Texts with a code that proves a phone number. */
  'phone-text': { limit: 3, windowMs: DAY_MS },
  /** The same, one after the other. */
  'phone-text-pace': { limit: 1, windowMs: MINUTE_MS },
  /** Wrong register tokens from an address. */
  'register-guess': { limit: 30, windowMs: HOUR_MS },
  /** Mails with another onboarding link. */
  'resend-onboarding-mail': { limit: 2, windowMs: HOUR_MS },
  /** Wrong reset tokens from an address. */
  'reset-guess': { limit: 10, windowMs: HOUR_MS },
  /** Mails with the hint. */
  'send-hint': { limit: 2, windowMs: HOUR_MS },
  /** Session codes of kind open. */
  'session-code': { limit: 60, windowMs: HOUR_MS },
  /** Wrong passwords of a link. */
  'share-password': { limit: 20, windowMs: 5 * MINUTE_MS },
  /** Wrong passwords of links from an address, unknown links among them. */
  'share-password-ip': { limit: 60, windowMs: 5 * MINUTE_MS },
  /** Wrong codes of an authenticator app that is being enrolled. */
  'totp-enrolment': { limit: 5, windowMs: 10 * MINUTE_MS },
  /** Codes handing one session to one app host. */
  'transfer-code': { limit: 5, windowMs: MINUTE_MS },
  /** Wrong codes of an instance. */
  'two-factor': { limit: 10, windowMs: 5 * MINUTE_MS },
  /** Challenges, which are mails as long as the mail factor is on. */
  'two-factor-generation': { limit: 20, windowMs: HOUR_MS },
  /** Wrong codes of one challenge; after the last one it is dead. */
  'two-factor-token': { limit: 5, windowMs: 5 * MINUTE_MS },
}

/** The counters of this package. */
export type RateLimits = Counters<Bucket>

/** What {@link createRateLimits} needs. */
export interface RateLimitsOptions {
  readonly store: Store
  readonly clock: { now(): number }
  readonly limits?: Partial<Readonly<Record<Bucket, RateLimit>>>
}

/** Counters that throw `rate_limited` with `Retry-After` over their limit. */
export function createRateLimits({ store, clock, limits }: RateLimitsOptions): RateLimits {
  return createCounters<Bucket>({
    store,
    clock,
    limits: { ...DEFAULT_LIMITS, ...limits },
    tooMany: (_bucket, retryAfterS) =>
      new AuthUiError('rate_limited', { headers: { 'Retry-After': String(retryAfterS) } }),
  })
}

/** Counts nothing while the limit is not reached. @throws AuthUiError `rate_limited` */
export async function requireWithinLimit(
  limits: RateLimits,
  { limit }: RateLimit,
  instance: Instance,
  bucket: Bucket,
  subject: string,
): Promise<void> {
  if ((await limits.count(instance, bucket, subject)) < limit) return
  await limits.hit(instance, bucket, subject)
}

/** Counts one, and tells whether it is still within the limit. */
export async function isWithinLimit(
  limits: RateLimits,
  instance: Instance,
  bucket: Bucket,
  subject?: string,
): Promise<boolean> {
  try {
    await limits.hit(instance, bucket, subject)
    return true
  } catch (error) {
    if ((error as { code?: unknown }).code === 'rate_limited') return false
    throw error
  }
}
