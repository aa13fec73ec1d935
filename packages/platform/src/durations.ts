/** One second in milliseconds. */
export const SECOND_MS = 1000

/** One minute in milliseconds. */
export const MINUTE_MS: number = 60 * SECOND_MS

/** One hour in milliseconds. */
export const HOUR_MS: number = 60 * MINUTE_MS

/** One day of 24 hours in milliseconds. */
export const DAY_MS: number = 24 * HOUR_MS
