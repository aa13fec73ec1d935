import type { RateLimitsOptions } from '../../src/rate-limits.ts'

const MANY = { limit: 1000, windowMs: 60_000 }

/** For tests in which many requests race: every loser is to be refused for having lost. */
export const ROOMY_LIMITS: NonNullable<RateLimitsOptions['limits']> = {
  'activation-code': MANY,
  auth: MANY,
  'auth-ip': MANY,
  'magic-link': MANY,
  'register-guess': MANY,
  'reset-guess': MANY,
  'two-factor': MANY,
  'two-factor-generation': MANY,
  'two-factor-token': MANY,
}
