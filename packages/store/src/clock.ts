/** Where rules take the time from; tests inject one with an offset (D66). */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
}

/** The machine's clock. */
export const systemClock: Clock = { now: () => Date.now() }

/**
 * How often a scheduler looks whether a clock jumped, milliseconds. The machine's is set now and then; one that was handed
 * in is there to be moved.
 */
export function clockCheckMs(clock: Clock): number {
  return clock === systemClock ? 1000 : 50
}
