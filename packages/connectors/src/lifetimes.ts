import { DAY_MS, MINUTE_MS, SECOND_MS } from '@svc/platform'

/** Durations of this package, in milliseconds. @see connectors.md 11, 8.2, 6.1 */
export interface Lifetimes {
  /** From `start` to the provider's answer. @defaultValue 15 minutes */
  readonly state: number
  /** From the callback host to the instance. @defaultValue 1 minute */
  readonly ticket: number
  /** Cookie of the browser that started. @defaultValue 15 minutes */
  readonly binder: number
  /** Opening a connection to a provider. @defaultValue 5 seconds */
  readonly connect: number
  /** A whole call to a provider. @defaultValue 15 seconds */
  readonly call: number
  /** What a provider says about itself, and its keys: each of the two questions. @defaultValue 4 seconds */
  readonly lookup: number
  /** How long a caller waits for a refresh; the refresh itself goes on. @defaultValue 20 seconds */
  readonly answer: number
  /** Lock of a refresh; renewed while it is held. @defaultValue 30 seconds */
  readonly refreshLock: number
  /** Waiting for somebody else's refresh: longer than the lock lives (D38). @defaultValue 35 seconds */
  readonly refreshWait: number
  /** Tokens that live shorter are refreshed on demand only. @defaultValue 2 minutes */
  readonly refreshShortest: number
  /** How long before their end tokens are refreshed at the latest. @defaultValue 1 minute */
  readonly refreshMargin: number
  /** How long a failed refresh answers those who came while it ran. @defaultValue 1 minute */
  readonly sharedFailure: number
  /** How long a refused refresh token is not tried again. @defaultValue 30 seconds */
  readonly refusedToken: number
  /** Tokens that could not be stored wait this long to be merged. @defaultValue 1 day */
  readonly orphan: number
  /** What providers say about themselves. @defaultValue 1 day */
  readonly metadata: number
}

/**
 * Where `options.lifetimes` of `createConnectors` says nothing else. Milliseconds; the members are those of `Lifetimes`.
 * @see connectors.md 11
 * @example
 * createConnectors({ oauth, sessions, lifetimes: { call: 2 * DEFAULT_LIFETIMES.call } })
 */
export const DEFAULT_LIFETIMES: Lifetimes = {
  state: 15 * MINUTE_MS,
  ticket: MINUTE_MS,
  binder: 15 * MINUTE_MS,
  connect: 5 * SECOND_MS,
  call: 15 * SECOND_MS,
  lookup: 4 * SECOND_MS,
  answer: 20 * SECOND_MS,
  refreshLock: 30 * SECOND_MS,
  refreshWait: 35 * SECOND_MS,
  refreshShortest: 2 * MINUTE_MS,
  refreshMargin: MINUTE_MS,
  sharedFailure: MINUTE_MS,
  refusedToken: 30 * SECOND_MS,
  orphan: DAY_MS,
  metadata: DAY_MS,
}
