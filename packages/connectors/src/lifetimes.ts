/** Durations of this package, in milliseconds. @see connectors.md 11, 8.2, 6.1 */
export interface Lifetimes {
  /** From `start` to the provider's answer. @defaultValue 15 min */
  readonly state: number
  /** From the callback host to the instance. @defaultValue 60 s */
  readonly ticket: number
  /** Cookie of the browser that started. @defaultValue 15 min */
  readonly binder: number
  /** Opening a connection to a provider. @defaultValue 5 s */
  readonly connect: number
  /** A whole call to a provider. @defaultValue 15 s */
  readonly call: number
  /** What a provider says about itself, and its keys: each of the two questions. @defaultValue 4 s */
  readonly lookup: number
  /** How long a caller waits for a refresh; the refresh itself goes on. @defaultValue 20 s */
  readonly answer: number
  /** Lock of a refresh; renewed while it is held. @defaultValue 30 s */
  readonly refreshLock: number
  /** Waiting for somebody else's refresh: longer than the lock lives (D38). @defaultValue 35 s */
  readonly refreshWait: number
  /** Tokens that live shorter are refreshed on demand only. @defaultValue 2 min */
  readonly refreshShortest: number
  /** How long before their end tokens are refreshed at the latest. @defaultValue 1 min */
  readonly refreshMargin: number
  /** How long a failed refresh answers those who came while it ran. @defaultValue 60 s */
  readonly sharedFailure: number
  /** How long a refused refresh token is not tried again. @defaultValue 30 s */
  readonly refusedToken: number
  /** Tokens that could not be stored wait this long to be merged. @defaultValue 24 h */
  readonly orphan: number
  /** What providers say about themselves. @defaultValue 24 h */
  readonly metadata: number
}

const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const DAY_MS = 1440 * MINUTE_MS

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
