import { HOUR_MS, type RateLimit } from '@svc/platform'

/** Buckets of this package. @see notifications.md 13 */
export type NotifyBucket =
  | 'notify-push'
  | 'notify-mail'
  | 'notify-sms'
  | 'notify-host'
  | 'notify-post'
  | 'notify-post-instance'

/**
 * Where `options.limits` of `createNotify` says nothing else: hits in a window of milliseconds, by bucket.
 * @see notifications.md 13
 * @example
 * createNotify({ oauth, channels, limits: { 'notify-sms': { limit: 5, windowMs: 86_400_000 } } })
 */
export const DEFAULT_LIMITS: Readonly<Record<NotifyBucket, RateLimit>> = {
  /** Pushes to the devices of an instance. */
  'notify-push': { limit: 30, windowMs: HOUR_MS },
  /** Mails to an owner. */
  'notify-mail': { limit: 200, windowMs: HOUR_MS },
  /** Texts to an owner. */
  'notify-sms': { limit: 20, windowMs: 24 * HOUR_MS },
  /** Messages to an owner over the channels of the host together. */
  'notify-host': { limit: 100, windowMs: HOUR_MS },
  /** Posts of one source owner. */
  'notify-post': { limit: 100, windowMs: HOUR_MS },
  /** Posts of an instance. */
  'notify-post-instance': { limit: 500, windowMs: HOUR_MS },
}
