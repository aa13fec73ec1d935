import type { Clock } from '@svc/store'

/** A clock that runs like the machine's, shifted. @see decisions D66 */
export interface FakeClock extends Clock {
  /** Moves the clock forward (back with a negative number). Milliseconds. */
  advance(ms: number): void
  /** Makes the clock show this instant now; it keeps running. Milliseconds since the epoch. */
  set(instantMs: number): void
  /**
   * Makes the clock stand still, but for `advance` and `set`: for what has to happen within a moment, however slow
   * the machine is. Timers do not stand still.
   */
  stop(): void
}

/** Real time plus an offset, at first none. */
export function fakeClock(): FakeClock {
  let offsetMs = 0
  let stoppedAt: number | undefined
  const now = (): number => (stoppedAt ?? Date.now()) + offsetMs
  return {
    now,
    advance: (ms) => {
      offsetMs += ms
    },
    set: (instantMs) => {
      offsetMs += instantMs - now()
    },
    stop: () => {
      stoppedAt ??= Date.now()
    },
  }
}
