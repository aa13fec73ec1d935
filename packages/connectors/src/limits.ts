import { MINUTE_MS, type RateLimit } from '@svc/platform'

/** Buckets of this package. @see connectors.md 11 */
export type ConnectorsBucket = 'account-start' | 'account-redirect' | 'account-refresh'

/** `account-start` counts per instance, `account-redirect` unknown states per address, `account-refresh` per account. */
export const DEFAULT_LIMITS: Readonly<Record<ConnectorsBucket, RateLimit>> = {
  'account-start': { limit: 30, windowMs: MINUTE_MS },
  'account-redirect': { limit: 60, windowMs: MINUTE_MS },
  'account-refresh': { limit: 60, windowMs: MINUTE_MS },
}
