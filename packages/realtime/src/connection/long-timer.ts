import { HOUR_MS } from '@svc/platform'

/** A timer that follows the clock: it looks again at least once an hour, so a clock that was set does no harm. */
export class LongTimer {
  readonly #clock: { now(): number }
  #timer: NodeJS.Timeout | undefined

  constructor(clock: { now(): number }) {
    this.#clock = clock
  }

  /** Calls when the instant is reached, instead of any other. Milliseconds since the epoch. */
  set(instantMs: number, call: () => void): void {
    clearTimeout(this.#timer)
    // Node's timers end at 2^31 ms; an hour is well below.
    const leftMs = Math.max(0, instantMs - this.#clock.now())
    this.#timer = setTimeout(
      () => {
        if (this.#clock.now() >= instantMs) call()
        else this.set(instantMs, call)
      },
      Math.min(leftMs, HOUR_MS),
    )
    this.#timer.unref()
  }

  clear(): void {
    clearTimeout(this.#timer)
  }
}
