import { setTimeout as sleep } from 'node:timers/promises'

/** Sleeps are not shorter than this: a timer costs more than the work it would hold back. Milliseconds. */
const SHORTEST_SLEEP_MS = 10

/** Lets so many units of work pass in a second, evenly. */
export class Pace {
  readonly #unitMs: number
  readonly #signal: AbortSignal
  #next = performance.now()

  /**
   * @param rate - units per second
   * @param signal - ends every wait
   */
  constructor(rate: number, signal: AbortSignal) {
    this.#unitMs = 1000 / rate
    this.#signal = signal
  }

  /** @throws the signal's reason, once it is aborted */
  async take(units: number): Promise<void> {
    this.#signal.throwIfAborted()
    const now = performance.now()
    // What was not used before is not caught up with.
    this.#next = Math.max(this.#next, now) + units * this.#unitMs
    const waitMs = this.#next - now
    if (waitMs >= SHORTEST_SLEEP_MS) await sleep(waitMs, undefined, { signal: this.#signal })
  }
}
