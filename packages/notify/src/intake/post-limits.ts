import type { Instance, RateLimits } from '@svc/platform'
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
  async function within<Result>(
    instance: Instance,
    [bucket, subject]: Count,
    accept: () => Promise<Result>,
  ): Promise<Result> {
    try {
      await limits.hit(instance, bucket, subject)
    } catch (error) {
      // The hit over the limit counted too. Whether one that failed did is unknown.
      if (isOverLimit(error)) await limits.release(instance, bucket, subject)
      throw error
    }
    try {
      return await accept()
    } catch (error) {
      await limits.release(instance, bucket, subject)
      throw error
    }
  }

  return {
    counted: (instance, { postedBy }, accept) =>
      within(instance, ['notify-post', postedBy], () =>
        within(instance, ['notify-post-instance'], accept),
      ),
  }
}

function isOverLimit(error: unknown): boolean {
  return NotifyError.is(error, 'rate_limited')
}
