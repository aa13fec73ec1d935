import { MINUTE_MS, type RateLimit } from '@svc/platform'

/** Buckets of this package. @see connectors.md 11 */
export type ConnectorsBucket = 'account-start' | 'account-redirect' | 'account-refresh'

/** How often each may happen. */
export const DEFAULT_LIMITS: Readonly<Record<ConnectorsBucket, RateLimit>> = {
  /** Starts on an instance. */
  'account-start': { limit: 30, windowMs: MINUTE_MS },
  /** Unknown states from an address. */
  'account-redirect': { limit: 60, windowMs: MINUTE_MS },
  /** Refreshes of an account. */
  'account-refresh': { limit: 60, windowMs: MINUTE_MS },
}
