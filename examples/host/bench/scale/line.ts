/** A straight line through readings. */
export interface Line {
  readonly slope: number
  readonly start: number
  /** The furthest that a reading is away from it, as a share of the reading. */
  readonly error: number
}

export interface Reading {
  readonly count: number
  readonly bytes: number
}

/** Least squares. @throws RangeError for less than two readings */
export function fitLine(readings: readonly Reading[]): Line {
  if (readings.length < 2) throw new RangeError('a line needs two readings')
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / values.length
  const x = mean(readings.map(({ count }) => count))
  const y = mean(readings.map(({ bytes }) => bytes))
  const above = mean(readings.map(({ count, bytes }) => (count - x) * (bytes - y)))
  const below = mean(readings.map(({ count }) => (count - x) ** 2))
  const slope = above / below
  const start = y - slope * x
  const errors = readings.map(({ count, bytes }) => Math.abs(start + slope * count - bytes) / bytes)
  return { slope, start, error: Math.max(...errors) }
}
