import type { Clock } from '@svc/store'

/** A clock that runs like the machine's, shifted. @see decisions D66 */
export interface FakeClock extends Clock {
  /** Moves the clock forward (back with a negative number). Milliseconds. */
  advance(ms: number): void
  /** Makes the clock show this instant now; it keeps running. Milliseconds since the epoch. */
  set(instantMs: number): void
}

/** Real time plus an offset, at first none. */
export function fakeClock(): FakeClock {
  let offsetMs = 0
  return {
    now: () => Date.now() + offsetMs,
    advance: (ms) => {
      offsetMs += ms
    },
    set: (instantMs) => {
      offsetMs = instantMs - Date.now()
    },
  }
}
