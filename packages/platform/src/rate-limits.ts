import { createHash } from 'node:crypto'
import { recordKey, type Store } from '@svc/store'
import type { InstanceId } from './instances/instance.ts'

/** How often something may happen in a window that starts with the first hit. */
export interface RateLimit {
  readonly limit: number
  readonly windowMs: number
}

/** An instance, or a tag that stands for none: for requests that reach no instance. */
interface Counted {
  readonly id: InstanceId
}

/** Counters of a package's buckets, per instance, shared by all processes. */
export interface RateLimits<Bucket extends string> {
  /**
   * Counts one; the hit after the last allowed one throws.
   * @param subject - whose counter it is within the instance: a client, an address; hashed into the key
   */
  hit(instance: Counted, bucket: Bucket, subject?: string): Promise<void>
  /** Takes back a hit: of something that was reserved before a check and turned out well. */
  release(instance: Counted, bucket: Bucket, subject?: string): Promise<void>
  /** Takes back every hit of the open window. */
  reset(instance: Counted, bucket: Bucket, subject?: string): Promise<void>
  /** Hits in the open window. */
  count(instance: Counted, bucket: Bucket, subject?: string): Promise<number>
}

/**
 * Limits by bucket, the store that counts, and the error over a limit.
 * @typeParam Bucket - names of the limits
 * @see docs/recipes/README.md of the repository
 */
export interface RateLimitOptions<Bucket extends string> {
  readonly store: Store
  readonly clock: { now(): number }
  readonly limits: Readonly<Record<Bucket, RateLimit>>
  /** What to throw over a limit; the renderer sends `Retry-After`. */
  readonly tooMany: (bucket: Bucket, retryAfterS: number) => Error
}

/**
 * Counters that all processes of a store share, in windows that begin with the first hit.
 * @see docs/recipes/README.md of the repository
 * @example
 * const tooMany = (): Error => new Error('too many posts')
 * const limits = createRateLimits({ store, clock, tooMany, limits: { posts: { limit: 10, windowMs: 60_000 } } })
 * await limits.hit(instance, 'posts')
 */
export function createRateLimits<Bucket extends string>(
  options: RateLimitOptions<Bucket>,
): RateLimits<Bucket> {
  const { store, clock, limits, tooMany } = options

  function count(instance: Counted, bucket: Bucket, subject: string | undefined, by: number) {
    // A subject may come from a request: any text, of any length.
    const id = subject === undefined ? bucket : `${bucket}:${digest(subject)}`
    return store.hit(recordKey(instance.id, 'rate', id), limits[bucket].windowMs, by)
  }

  return {
    async hit(instance, bucket, subject) {
      const { count: hits, resetsAt } = await count(instance, bucket, subject, 1)
      if (hits <= limits[bucket].limit) return
      throw tooMany(bucket, Math.max(1, Math.ceil((resetsAt - clock.now()) / 1000)))
    },
    async release(instance, bucket, subject) {
      await count(instance, bucket, subject, -1)
    },
    async reset(instance, bucket, subject) {
      // A counter never goes below 0.
      await count(instance, bucket, subject, -ALL_HITS)
    },
    async count(instance, bucket, subject) {
      return (await count(instance, bucket, subject, 0)).count
    },
  }
}

const ALL_HITS = 1_000_000

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}
