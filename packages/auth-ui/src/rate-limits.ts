import {
  createRateLimits as createCounters,
  type Instance,
  type RateLimit,
  type RateLimits as Counters,
} from '@svc/oauth-core'
import type { Store } from '@svc/store'
import { AuthUiError } from './errors.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from './lifetimes.ts'

/** Names of {@link DEFAULT_LIMITS}. */
export type Bucket =
  | 'auth'
  | 'auth-ip'
  | 'known-device'
  | 'login-throttled-mail'
  | 'new-connection-mail'
  | 'register-guess'
  | 'transfer-code'

/** Buckets of this package and what they count. @see login.md 4.7, decision D15 */
export const DEFAULT_LIMITS: Readonly<Record<Bucket, RateLimit>> = {
  /** Wrong passphrases of an instance, over all paths. */
  auth: { limit: 100, windowMs: HOUR_MS },
  /** Wrong passphrases from an address. */
  'auth-ip': { limit: 20, windowMs: 15 * MINUTE_MS },
  /** Wrong passphrases from a browser that logged in before. */
  'known-device': { limit: 10, windowMs: 15 * MINUTE_MS },
  /** Mails telling of too many wrong passphrases. */
  'login-throttled-mail': { limit: 1, windowMs: DAY_MS },
  /** Mails telling of a log-in from a new place. */
  'new-connection-mail': { limit: 1, windowMs: HOUR_MS },
  /** Wrong register tokens. */
  'register-guess': { limit: 30, windowMs: HOUR_MS },
  /** Codes handing one session to one app host. */
  'transfer-code': { limit: 5, windowMs: MINUTE_MS },
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

/** Counts one, and tells whether it is still within the limit. */
export async function isWithinLimit(
  limits: RateLimits,
  instance: Instance,
  bucket: Bucket,
): Promise<boolean> {
  try {
    await limits.hit(instance, bucket)
    return true
  } catch (error) {
    if ((error as { code?: unknown }).code === 'rate_limited') return false
    throw error
  }
}
