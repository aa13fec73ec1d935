import { HOUR_MS, type RateLimit } from '@svc/platform'

/** Buckets of this package. @see notifications.md 13 */
export type NotifyBucket =
  | 'notify-push'
  | 'notify-mail'
  | 'notify-sms'
  | 'notify-post'
  | 'notify-post-instance'

export const DEFAULT_LIMITS: Readonly<Record<NotifyBucket, RateLimit>> = {
  'notify-push': { limit: 30, windowMs: HOUR_MS },
  'notify-mail': { limit: 200, windowMs: HOUR_MS },
  'notify-sms': { limit: 20, windowMs: 24 * HOUR_MS },
  'notify-post': { limit: 100, windowMs: HOUR_MS },
  'notify-post-instance': { limit: 500, windowMs: HOUR_MS },
}
