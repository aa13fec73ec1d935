import { createHash } from 'node:crypto'
import type { Instance, RateLimit } from '@svc/platform'
import { recordKey, type Store } from '@svc/store'
import { McpError } from '../errors.ts'
import { FAR, FLOOD_FACTOR, type McpBucket } from '../limits.ts'
import { ToolError } from '../tool-error.ts'

export interface CountersOptions {
  readonly store: Pick<Store, 'hit'>
  readonly clock: { now(): number }
  readonly limits: Readonly<Record<McpBucket, RateLimit>>
}

/** Whom a request counts for. */
export interface Subjects {
  readonly address: string
  readonly grantId: string
}

/** How often clients call, counted for all processes. @see assistants.md 6.8 */
export class Counters {
  readonly #options: CountersOptions

  constructor(options: CountersOptions) {
    this.#options = options
  }

  /** Counts a request of an address. @throws McpError `mcp_too_many_calls` */
  async hitAddress(instance: Instance, address: string): Promise<void> {
    const { count, retryAfterS } = await this.#count(instance, 'address', address, 1)
    if (count > this.#options.limits.address.limit) throw tooMany(retryAfterS)
  }

  /**
   * Counts a call of a grant.
   * @throws ToolError `limit_reached`; McpError `mcp_too_many_calls` for one that does not listen to it
   */
  async hitCall(instance: Instance, grantId: string, isWrite: boolean): Promise<void> {
    const buckets: readonly McpBucket[] = isWrite
      ? ['minute', 'hour', 'writes']
      : ['minute', 'hour']
    const counts = await Promise.all(
      buckets.map(async (bucket) => ({
        bucket,
        ...(await this.#count(instance, bucket, grantId, 1)),
      })),
    )
    const { limits } = this.#options
    const over = counts.filter(({ bucket, count }) => count > limits[bucket].limit)
    if (over.length === 0) return
    const wait = Math.max(...over.map(({ retryAfterS }) => retryAfterS))
    const isFlood = over.some(({ bucket, count }) => count > FLOOD_FACTOR * limits[bucket].limit)
    throw isFlood ? tooMany(wait) : reached(wait)
  }

  /** Whether so many documents pass no limit, even with many other calls at the same time. */
  async isFarFromDocuments(instance: Instance, grantId: string, more: number): Promise<boolean> {
    const { count } = await this.#count(instance, 'documents', grantId, 0)
    return count + more * FAR <= this.#options.limits.documents.limit
  }

  /**
   * Counts documents before a grant is given them; what is refused stays counted, so that calls at the same time do not
   * pass the limit together.
   * @throws ToolError `limit_reached`
   */
  async hitDocuments(instance: Instance, grantId: string, documents: number): Promise<void> {
    const { count, retryAfterS } = await this.#count(instance, 'documents', grantId, documents)
    if (count > this.#options.limits.documents.limit) throw reached(retryAfterS)
  }

  async #count(
    instance: Instance,
    bucket: McpBucket,
    subject: string,
    by: number,
  ): Promise<{ readonly count: number; readonly retryAfterS: number }> {
    const { store, clock, limits } = this.#options
    const id = `mcp-${bucket}:${createHash('sha256').update(subject).digest('base64url')}`
    const key = recordKey(instance.id, 'rate', id)
    const { count, resetsAt } = await store.hit(key, limits[bucket].windowMs, by)
    return { count, retryAfterS: Math.max(1, Math.ceil((resetsAt - clock.now()) / 1000)) }
  }
}

function reached(retryAfterSeconds: number): ToolError {
  return new ToolError('limit_reached', { retryAfterSeconds })
}

function tooMany(retryAfterS: number): McpError {
  return new McpError('mcp_too_many_calls', { retryAfterS })
}
