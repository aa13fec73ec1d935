import type { ActivityLog, RateLimits, Sealer } from '@svc/platform'
import type { Store } from '@svc/store'
import type { Chainer } from './chain/chainer.ts'
import type { ActivityBucket } from './limits.ts'
import type { ActivityLogLines } from './log/log-events.ts'
import type { ActivityOwners } from './options.ts'

/** What the package is made of; `createActivity` alone puts it together. */
export interface ActivityServices {
  readonly store: Store
  readonly sealer: Sealer
  readonly clock: { now(): number }
  readonly log: ActivityLogLines
  /** Prefix of doctypes. */
  readonly namespace: string
  readonly chainer: Chainer
  readonly limits: RateLimits<ActivityBucket>
  readonly owners: ActivityOwners
  /** What the platform hands to the other packages. */
  readonly notes: ActivityLog
}
