import { createRateLimits, type Instance, type RateLimit } from '@svc/platform'
import type { Store } from '@svc/store'
import type { NotifyBucket } from '../limits.ts'

/** Buckets that count deliveries. @see notifications.md 13 */
export type DeliveryBucket = Extract<NotifyBucket, 'notify-mail' | 'notify-push' | 'notify-sms'>

/** Deliveries that an instance has left in its window. */
export interface Quota {
  /** Reserves one delivery; false: none is left. */
  take(instance: Instance): Promise<boolean>
  /** Takes back one that was not delivered. */
  giveBack(instance: Instance): Promise<void>
}

/** Counters of deliveries, of each instance, over all processes. */
export function createQuotas(options: {
  readonly store: Store
  readonly clock: { now(): number }
  readonly limits: Readonly<Record<DeliveryBucket, RateLimit>>
}): Readonly<Record<DeliveryBucket, Quota>> {
  const counters = createRateLimits({ ...options, tooMany: () => new QuotaSpent() })

  function quotaOf(bucket: DeliveryBucket): Quota {
    const giveBack = (instance: Instance): Promise<void> => counters.release(instance, bucket)
    return {
      async take(instance) {
        try {
          await counters.hit(instance, bucket)
          return true
        } catch (error) {
          if (!(error instanceof QuotaSpent)) throw error
          await giveBack(instance)
          return false
        }
      },
      giveBack,
    }
  }

  return {
    'notify-mail': quotaOf('notify-mail'),
    'notify-push': quotaOf('notify-push'),
    'notify-sms': quotaOf('notify-sms'),
  }
}

class QuotaSpent extends Error {}
