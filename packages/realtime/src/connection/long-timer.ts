import { HOUR_MS } from '@svc/platform'

/** A timer that follows the clock: it looks again at least once an hour, so a clock that was set does no harm. */
export interface LongTimer {
  /** Calls when the instant is reached, instead of any other. Milliseconds since the epoch. */
  set(instantMs: number, call: () => void): void
  clear(): void
}

export function createLongTimer(clock: { now(): number }): LongTimer {
  let timer: NodeJS.Timeout | undefined

  function set(instantMs: number, call: () => void): void {
    clearTimeout(timer)
    // Node's timers end at 2^31 ms; an hour is well below.
    const leftMs = Math.max(0, instantMs - clock.now())
    timer = setTimeout(
      () => {
        if (clock.now() >= instantMs) call()
        else set(instantMs, call)
      },
      Math.min(leftMs, HOUR_MS),
    )
    timer.unref()
  }

  return { set, clear: () => clearTimeout(timer) }
}
