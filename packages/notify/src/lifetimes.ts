import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '@svc/platform'

/** Durations of this package, in milliseconds. @see notifications.md */
export interface Lifetimes {
  /** How long the lease of a worker on a notification lasts without renewal. @defaultValue 1 minute */
  readonly lease: number
  /** One attempt of a channel. @defaultValue 10 seconds */
  readonly attempt: number
  /** Waiting for attempts under way when the server ends. @defaultValue 10 seconds */
  readonly shutdown: number
  /** Finished notifications. @defaultValue 90 days */
  readonly finished: number
  /** Bodies of finished ones. @defaultValue 7 days */
  readonly bodies: number
  /** The newest of a stateful or collapsible source. @defaultValue 366 days */
  readonly newestOfSource: number
  /** Idempotency keys. @defaultValue 1 day */
  readonly idempotencyKey: number
  /** How far `at` may be in the past. @defaultValue 1 day */
  readonly atPast: number
  /** How far `at` may be ahead. @defaultValue 366 days */
  readonly atAhead: number
}

/**
 * Where `options.lifetimes` of `createNotify` says nothing else. Milliseconds; the members are those of `Lifetimes`.
 * @see notifications.md 10
 * @example
 * createNotify({ oauth, channels, lifetimes: { bodies: DEFAULT_LIFETIMES.bodies / 7 } })
 */
export const DEFAULT_LIFETIMES: Lifetimes = {
  lease: MINUTE_MS,
  attempt: 10 * SECOND_MS,
  shutdown: 10 * SECOND_MS,
  finished: 90 * DAY_MS,
  bodies: 7 * DAY_MS,
  newestOfSource: 366 * DAY_MS,
  idempotencyKey: DAY_MS,
  atPast: DAY_MS,
  atAhead: 366 * DAY_MS,
}

/** When a channel is tried again in its round, before jitter of a fifth. @see notifications.md 10.4 */
export const CHANNEL_DELAYS_MS: readonly number[] = [SECOND_MS, 5 * SECOND_MS, 25 * SECOND_MS]

/** When the next round begins. @see notifications.md 10.5 */
export const ROUND_DELAYS_MS: readonly number[] = [
  MINUTE_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  6 * HOUR_MS,
]
