import type { Store } from '@svc/store'
import type { Lifetimes } from '../lifetimes.ts'
import { createOneTimeValues } from '../owner/one-time-values.ts'
import type { EmailVerifiedCodes } from './open-codes.ts'

/** What {@link createEmailVerifiedCodes} needs. */
export interface EmailVerifiedCodesOptions {
  readonly store: Store
  readonly clock: { now(): number }
  readonly lifetimes: Lifetimes
}

/** Only the host makes them: nothing counts them. */
export function createEmailVerifiedCodes(options: EmailVerifiedCodesOptions): EmailVerifiedCodes {
  const { store, clock, lifetimes } = options
  const values = createOneTimeValues<true>({
    store,
    clock,
    kind: 'email-verified-code',
    form: 'alphanumeric',
    lifetimeMs: lifetimes.emailVerifiedCode,
  })
  return {
    create: (instance, owner) => values.create(instance, owner, true),
    async isGood(instance, owner, code) {
      return (await values.find(instance, owner, code)) !== undefined
    },
    async redeem(instance, owner, code) {
      return (await values.take(instance, owner, code)) !== undefined
    },
  }
}
