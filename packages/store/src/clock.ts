/** Where rules take the time from; tests inject one with an offset (D66). */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
}

/** The machine's clock. */
export const systemClock: Clock = { now: () => Date.now() }
