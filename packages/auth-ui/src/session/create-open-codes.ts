import type { Store } from '@svc/store'
import type { Lifetimes } from '../lifetimes.ts'
import { createOneTimeValues } from '../owner/one-time-values.ts'
import type { RateLimits } from '../rate-limits.ts'
import type { OpenCodes } from './open-codes.ts'

/** What {@link createOpenCodes} needs. */
export interface OpenCodesOptions {
  readonly store: Store
  readonly clock: { now(): number }
  readonly lifetimes: Lifetimes
  readonly limits: RateLimits
}

/** Codes are kept as hashes and taken in one step; `session-code` counts those that are made. */
export function createOpenCodes({ store, clock, lifetimes, limits }: OpenCodesOptions): OpenCodes {
  const values = createOneTimeValues<true>({
    store,
    clock,
    kind: 'open-code',
    form: 'alphanumeric',
    lifetimeMs: lifetimes.openCode,
  })
  return {
    async create(instance, owner) {
      await limits.hit(instance, 'session-code')
      return values.create(instance, owner, true)
    },
    async redeem(instance, owner, code) {
      return (await values.take(instance, owner, code)) !== undefined
    },
  }
}
