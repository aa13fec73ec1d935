import { type Clock, systemClock } from '@svc/store'

/** A clock that runs like the machine's, shifted: for tests of what expires. */
export class TestClock implements Clock {
  #offsetMs = 0

  now(): number {
    return systemClock.now() + this.#offsetMs
  }

  /** Moves the clock forward. Milliseconds. */
  advance(ms: number): void {
    this.#offsetMs += ms
  }
}
