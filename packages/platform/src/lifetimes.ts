import { DAY_MS, MINUTE_MS, SECOND_MS } from './durations.ts'

/** How far ahead another clock's `iat` may be. Milliseconds. @example Date.now() + CLOCK_SKEW_MS @see security.md 75 */
export const CLOCK_SKEW_MS: number = MINUTE_MS

/** How old a cached record may be before it is checked against the store. Milliseconds. @example clock.now() + CACHE_TRUST_MS @see security.md 78 */
export const CACHE_TRUST_MS: number = SECOND_MS

/** The longest life of a token that an instance's keys sign. Milliseconds. @see oauth.md 7.1 */
export const LONGEST_TOKEN_MS: number = DAY_MS

/** The longest life of a grant whose refresh tokens rotate. Milliseconds. @see assistants.md 5.4 */
export const LONGEST_ROTATING_GRANT_MS: number = 30 * DAY_MS
