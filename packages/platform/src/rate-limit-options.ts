import { group, integer, milliseconds, object, type Option } from '@svc/store/options'
import { DAY_MS, SECOND_MS } from './durations.ts'

/** How often something may happen in a window that starts with the first hit. */
interface RateLimit {
  readonly limit: number
  readonly windowMs: number
}

const MOST_HITS = 1_000_000_000

/**
 * The option `limits` of a package: other limits for single buckets.
 * @param defaults - of every bucket
 * @param fewest - hits that an operator may allow at least; 0 where a bucket may be closed altogether
 */
export function rateLimits<Bucket extends string>(
  defaults: Readonly<Record<Bucket, RateLimit>>,
  fewest = 1,
): Option<
  Partial<Readonly<Record<Bucket, RateLimit>>>,
  Readonly<Record<Bucket, RateLimit>>,
  false
> {
  const limit = object({
    limit: integer(fewest, MOST_HITS),
    windowMs: milliseconds(SECOND_MS, 30 * DAY_MS),
  })
  const members = Object.entries<RateLimit>(defaults).map(
    ([bucket, given]) => [bucket, limit.or(given)] as const,
  )
  // The members are the buckets, each with such a limit.
  return group(Object.fromEntries(members)) as unknown as ReturnType<typeof rateLimits<Bucket>>
}
