import { DAY_MS, HOUR_MS, MINUTE_MS, type RateLimit, SECOND_MS } from '@svc/platform'

/** Whose counters stand in the store: of a grant, but `address`. @see assistants.md 6.8 */
export type McpBucket = 'address' | 'documents' | 'hour' | 'minute' | 'writes'

/**
 * Where `options.limits` of `createMcp` says nothing else: hits in a window of milliseconds, by bucket.
 * @see assistants.md 6.8
 * @example
 * createMcp({ oauth, limits: { minute: { ...DEFAULT_LIMITS.minute, limit: 60 } } })
 */
export const DEFAULT_LIMITS: Readonly<Record<McpBucket, RateLimit>> = {
  /** Requests of an address that have a token. */
  address: { limit: 600, windowMs: MINUTE_MS },
  /** Documents that a grant is given. */
  documents: { limit: 5000, windowMs: DAY_MS },
  /** Calls of a grant. */
  hour: { limit: 2000, windowMs: HOUR_MS },
  /** Calls of a grant. */
  minute: { limit: 120, windowMs: MINUTE_MS },
  /** Calls of a grant that write. */
  writes: { limit: 20, windowMs: MINUTE_MS },
}

/** How many times over its limit a client is no longer told so by a result, but by 429. @see assistants.md 6.8 */
export const FLOOD_FACTOR = 10
/** So many calls below its limit a grant cannot pass it by calls at the same time, in four processes. */
export const FAR = 32
/** Calls of a grant at a time, in one process. @see assistants.md 6.8 */
export const CALLS_AT_A_TIME = 8
/** How long one more waits for its turn. @see assistants.md 6.8 */
export const TURN_WAIT_MS: number = 2 * SECOND_MS

/** Of a request, bytes. @see assistants.md 6.2 */
export const MAX_BODY_BYTES = 65_536
/** Of an answer, bytes. @see assistants.md 6.4 */
export const MAX_ANSWER_BYTES: number = 256 * 1024
/** Of an answer, beside what a tool gives: the message around it. */
export const ENVELOPE_BYTES = 1024
/** Of a document's text, characters. @see assistants.md 6.4 */
export const MAX_TEXT = 100_000
/** Of a title, characters. */
export const MAX_TITLE = 200
/** Of an excerpt, characters. @see assistants.md 6.3 */
export const MAX_EXCERPT = 200
/** What a search looks at. @see assistants.md 6.4 */
export const SEARCH_DOCUMENTS = 10_000
export const SEARCH_MS = 500
