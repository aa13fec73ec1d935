/** Counts messages in windows that begin with the first one. */
export interface MessageMeter {
  /** Counts one; false when it is one too many. */
  isWithin(): boolean
}

export function createMessageMeter(options: {
  readonly clock: { now(): number }
  readonly limit: number
  readonly windowMs: number
}): MessageMeter {
  const { clock, limit, windowMs } = options
  let startedAt = Number.NEGATIVE_INFINITY
  let count = 0

  return {
    isWithin() {
      const now = clock.now()
      // A clock that was set back must not keep a window open.
      if (now - startedAt >= windowMs || now < startedAt) {
        startedAt = now
        count = 0
      }
      count += 1
      return count <= limit
    },
  }
}
