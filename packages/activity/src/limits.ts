import { HOUR_MS, MINUTE_MS, type RateLimit } from '@svc/platform'

/** Buckets of this package. @see owner.md 5.7 */
export type ActivityBucket = 'activity-verify' | 'activity-export'

export const DEFAULT_LIMITS: Readonly<Record<ActivityBucket, RateLimit>> = {
  /** Verifications of an instance. */
  'activity-verify': { limit: 1, windowMs: MINUTE_MS },
  /** Exports of an instance. */
  'activity-export': { limit: 3, windowMs: HOUR_MS },
}

/** Bytes of an entry as canonical JSON. @see owner.md 5.2 */
export const MAX_ENTRY_BYTES = 1024
/** Characters of a name. @see owner.md 5.2 */
export const MAX_NAME_LENGTH = 100
/** Pending events that one write chains. @see owner.md 5.4 */
export const CHAINED_AT_ONCE = 40
/** Entries of a segment. @see owner.md 5.5 */
export const SEGMENT_ENTRIES = 1000
/** Entries of an instance. @see owner.md 5.5 */
export const MAX_ENTRIES = 50_000
/** Entries that are checked before others have their turn. @see owner.md 5.7 */
export const VERIFY_SLICE = 1000
/** Entries of one kind of failure in a day. @see owner.md 5.5 */
export const REFUSALS_A_DAY = 60
/** Kinds of data that are counted apart in a day. @see owner.md 5.6 */
export const KINDS_A_DAY = 64
/** Clients and accounts whose counts wait in memory; with more of them they are written at once. */
export const USES_IN_MEMORY = 2000
