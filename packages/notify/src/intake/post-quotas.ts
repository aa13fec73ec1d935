import type { Instance, RateLimits } from '@svc/oauth-core'
import { NotifyError } from '../notify-error.ts'
import type { NotifyBucket } from '../limits.ts'
import type { Poster } from './poster.ts'

/** How many notifications may be posted. @see notifications.md 13 */
export interface PostQuotas {
  /**
   * Counts a post before it is looked at, and takes it back when `accept` rejects: what is refused does not count, and of
   * any number at a time no more than the limit is accepted.
   * @throws NotifyError 429 `rate_limited`
   */
  counted<Result>(
    instance: Instance,
    poster: Poster,
    accept: () => Promise<Result>,
  ): Promise<Result>
}

type Count = readonly [bucket: NotifyBucket, subject?: string]

export function createPostQuotas(
  limits: Pick<RateLimits<NotifyBucket>, 'hit' | 'release'>,
): PostQuotas {
  return {
    async counted(instance, { postedBy }, accept) {
      const counts: readonly Count[] = [['notify-post', postedBy], ['notify-post-instance']]
      const giveBack = (which: readonly Count[]): Promise<unknown> =>
        Promise.all(which.map(([bucket, subject]) => limits.release(instance, bucket, subject)))
      const hits = await Promise.allSettled(
        counts.map(([bucket, subject]) => limits.hit(instance, bucket, subject)),
      )
      const refused = hits.find((hit) => hit.status === 'rejected')
      if (refused !== undefined) {
        // A hit over the limit counted too. Whether one that failed did is unknown.
        const isCounted = (hit: (typeof hits)[number]): boolean =>
          hit.status === 'fulfilled' || isOverLimit(hit.reason)
        await giveBack(counts.filter((_, at) => hits.slice(at, at + 1).some(isCounted)))
        throw refused.reason
      }
      try {
        return await accept()
      } catch (error) {
        await giveBack(counts)
        throw error
      }
    },
  }
}

function isOverLimit(error: unknown): boolean {
  return error instanceof NotifyError && error.code === 'rate_limited'
}
