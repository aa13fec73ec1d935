import { createRateLimits, type Instance, type RateLimit, type RateLimits } from '@svc/platform'
import type { Store } from '@svc/store'
import type { NotifyBucket } from '../limits.ts'

/** Buckets that count deliveries. @see notifications.md 13 */
export type DeliveryBucket = Extract<
  NotifyBucket,
  'notify-host' | 'notify-mail' | 'notify-push' | 'notify-sms'
>

type Counters = Pick<RateLimits<DeliveryBucket>, 'hit' | 'release'>

/** Counters of deliveries, of each instance, over all processes. */
export function createQuotas(options: {
  readonly store: Store
  readonly clock: { now(): number }
  readonly limits: Readonly<Record<DeliveryBucket, RateLimit>>
}): Readonly<Record<DeliveryBucket, Quota>> {
  const counters = createRateLimits({ ...options, tooMany: () => new QuotaSpent() })
  return {
    'notify-host': new Quota(counters, 'notify-host'),
    'notify-mail': new Quota(counters, 'notify-mail'),
    'notify-push': new Quota(counters, 'notify-push'),
    'notify-sms': new Quota(counters, 'notify-sms'),
  }
}

/** Deliveries that an instance has left in its window. */
export class Quota {
  readonly #counters: Counters
  readonly #bucket: DeliveryBucket

  /** @param counters - throw {@link QuotaSpent} over the limit */
  constructor(counters: Counters, bucket: DeliveryBucket) {
    this.#counters = counters
    this.#bucket = bucket
  }

  /** Reserves one delivery; false: none is left. */
  async take(instance: Instance): Promise<boolean> {
    try {
      await this.#counters.hit(instance, this.#bucket)
      return true
    } catch (error) {
      if (!(error instanceof QuotaSpent)) throw error
      await this.giveBack(instance)
      return false
    }
  }

  /** Takes back one that was not delivered. */
  giveBack(instance: Instance): Promise<void> {
    return this.#counters.release(instance, this.#bucket)
  }
}

class QuotaSpent extends Error {}
