export interface MessageMeterOptions {
  readonly clock: { now(): number }
  readonly limit: number
  readonly windowMs: number
}

/** Counts messages in windows that begin with the first one. */
export class MessageMeter {
  readonly #options: MessageMeterOptions
  #startedAt = Number.NEGATIVE_INFINITY
  #count = 0

  constructor(options: MessageMeterOptions) {
    this.#options = options
  }

  /** Counts one; false when it is one too many. */
  isWithin(): boolean {
    const { clock, limit, windowMs } = this.#options
    const now = clock.now()
    // A clock that was set back must not keep a window open.
    if (now - this.#startedAt >= windowMs || now < this.#startedAt) {
      this.#startedAt = now
      this.#count = 0
    }
    this.#count += 1
    return this.#count <= limit
  }
}
