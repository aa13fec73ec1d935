import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '@svc/platform'

/** How long the process that wrote waits, so that what happens together is chained together. @see owner.md 5.4 */
export const CHAIN_DELAY_MS: number = 200
/** When the scheduler looks for what that process did not chain. @see owner.md 5.4 */
export const BACKSTOP_MS: number = 5 * SECOND_MS
/** Between two looks for segments that are too old, of one process. */
export const PRUNE_EVERY_MS: number = HOUR_MS
/** How long counters of refusals are kept: past the end of their day. */
export const REFUSALS_MS: number = 2 * DAY_MS

/** How long counts of uses are gathered before they are written. @see owner.md 5.6 */
export const USE_GATHER_MS: number = MINUTE_MS
/** After the end of a day: every process has written by then what it counted. */
export const DAY_END_MS: number = 2 * MINUTE_MS

/** @see owner.md 5.5 */
export const DEFAULT_RETENTION_DAYS: number = 365
export const LEAST_RETENTION_DAYS: number = 30
export const MOST_RETENTION_DAYS: number = 3650
