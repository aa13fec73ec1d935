import type { Instance, InstanceId, RateLimit, RateLimits } from '@svc/platform'
import { OAuthError } from '../errors.ts'
import { documentTag } from './document-cache.ts'

/** Buckets of look-ups, counted before each. @see assistants.md 2.6 */
export type LookUpBucket = 'cimd-instance' | 'cimd-keys' | 'cimd-process' | 'cimd-url'

interface LookUpLimitsOptions {
  readonly clock: { now(): number }
  readonly limits: RateLimits<'cimd-instance' | 'cimd-url'>
  readonly process: RateLimit
}

/** What keeps look-ups few, since nothing is remembered of those that failed. */
export class LookUpLimits {
  readonly #options: LookUpLimitsOptions
  #window = { start: Number.NEGATIVE_INFINITY, count: 0 }

  constructor(options: LookUpLimitsOptions) {
    this.#options = options
  }

  /** @throws OAuthError 429 over any of the limits */
  async count(instance: Instance, url: string): Promise<void> {
    const { limits } = this.#options
    this.#countInProcess()
    await limits.hit(instance, 'cimd-instance')
    // Shared by all instances: counted where the document itself would be kept.
    await limits.hit({ id: documentTag(url) as InstanceId }, 'cimd-url', url)
  }

  #countInProcess(): void {
    const { clock, process } = this.#options
    const now = clock.now()
    const ageMs = now - this.#window.start
    if (ageMs < 0 || ageMs >= process.windowMs) this.#window = { start: now, count: 0 }
    const window = this.#window
    if (window.count >= process.limit) {
      throw tooManyLookUps(
        'cimd-process',
        Math.ceil((window.start + process.windowMs - now) / 1000),
      )
    }
    window.count += 1
  }
}

/** SPEC: assistants.md 2.6 */
export function tooManyLookUps(bucket: LookUpBucket, retryAfterS: number): OAuthError {
  const minutes = Math.max(1, Math.ceil(retryAfterS / 60))
  return new OAuthError('too_many_lookups', {
    description: `Too many apps were looked up. Try again in ${minutes} minutes.`,
    detail: `over the limit of ${bucket}`,
    words: { key: 'too-many-lookups', values: { minutes } },
    retryAfterS,
  })
}
