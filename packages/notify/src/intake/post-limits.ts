import type { Instance } from '@svc/platform'
import type { NotifyBucket } from '../limits.ts'
import { NotifyError } from '../notify-error.ts'
import type { Posting } from './posting.ts'
import type { Poster } from './poster.ts'

type Count = readonly [bucket: NotifyBucket, subject?: string]

/**
 * Counts a post before it is looked at, and takes it back when `accept` rejects: what is refused does not count, and of
 * any number at a time no more than the limit is accepted.
 * @throws NotifyError 429 `rate_limited`
 * @see notifications.md 13
 */
export function withinPostLimits<Result>(
  limits: Posting['limits'],
  instance: Instance,
  { postedBy }: Poster,
  accept: () => Promise<Result>,
): Promise<Result> {
  return within(limits, instance, ['notify-post', postedBy], () =>
    within(limits, instance, ['notify-post-instance'], accept),
  )
}

async function within<Result>(
  limits: Posting['limits'],
  instance: Instance,
  [bucket, subject]: Count,
  accept: () => Promise<Result>,
): Promise<Result> {
  try {
    await limits.hit(instance, bucket, subject)
  } catch (error) {
    // The hit over the limit counted too. Whether one that failed did is unknown.
    if (NotifyError.is(error, 'rate_limited')) await limits.release(instance, bucket, subject)
    throw error
  }
  try {
    return await accept()
  } catch (error) {
    await limits.release(instance, bucket, subject)
    throw error
  }
}
