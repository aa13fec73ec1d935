import { MINUTE_MS, SECOND_MS } from '@svc/platform'

/** Durations of this package, in milliseconds, with their source. */

/** What a host may change; whole milliseconds. @see realtime.md 2.1, 5, 6, 7.3 */
export interface Lifetimes {
  /** How long a fresh connection may stay silent before its AUTH. @defaultValue `10_000`, realtime.md 2.1 */
  readonly auth: number
  /** Between two pings; each also looks whether the token still counts. @defaultValue `54_000`, realtime.md 5 */
  readonly ping: number
  /** Since the last pong, before the connection is cut. @defaultValue `60_000`, realtime.md 5 */
  readonly pong: number
  /** How long one write may take, a closing handshake included. @defaultValue `10_000`, realtime.md 5 */
  readonly write: number
  /** How long a reader may be behind by more than the limits say. @defaultValue `5_000`, realtime.md 6 */
  readonly slow: number
  /** Window of the limit `messages`. @defaultValue `10_000`, realtime.md 6 */
  readonly messages: number
  /** Window of the limit `failedAuths`. @defaultValue `60_000`, realtime.md 6 */
  readonly failedAuths: number
  /** How long an event may take to reach the bus. @defaultValue `1_000`, realtime.md 7.5 */
  readonly publish: number
  /** How long a SUBSCRIBE waits for the bus. @defaultValue `2_000`, realtime.md 7.3 */
  readonly subscribe: number
  /** How long the bus is listened to after the last subscriber of an instance left. @defaultValue `60_000`, realtime.md 7.3 */
  readonly idleChannel: number
  /** How long the same event is recognised when it comes again. @defaultValue `60_000`, realtime.md 7.3 */
  readonly duplicate: number
  /** Connections are closed within it at the end, each at a moment of its own; at most that. @defaultValue `5_000`, realtime.md 5 */
  readonly shutdown: number
}

/**
 * Where `options.lifetimes` of `createRealtime` says nothing else. Milliseconds; the members are those of `Lifetimes`.
 * @see realtime.md 5
 * @example
 * createRealtime({ oauth, lifetimes: { ping: DEFAULT_LIFETIMES.ping / 2 } })
 */
export const DEFAULT_LIFETIMES: Lifetimes = {
  auth: 10 * SECOND_MS,
  ping: 54 * SECOND_MS,
  pong: MINUTE_MS,
  write: 10 * SECOND_MS,
  slow: 5 * SECOND_MS,
  messages: 10 * SECOND_MS,
  failedAuths: MINUTE_MS,
  publish: SECOND_MS,
  subscribe: 2 * SECOND_MS,
  idleChannel: MINUTE_MS,
  duplicate: MINUTE_MS,
  shutdown: 5 * SECOND_MS,
}
