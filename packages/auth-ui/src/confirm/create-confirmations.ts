import type { Store } from '@svc/store'
import type { Lifetimes } from '../lifetimes.ts'
import { createOneTimeValues } from '../owner/one-time-values.ts'
import type { Confirmation, Confirmations } from './confirmations.ts'

/** What {@link createConfirmations} needs. */
export interface ConfirmationsOptions {
  readonly store: Store
  readonly clock: { now(): number }
  readonly lifetimes: Lifetimes
}

/** Codes are not used up: asking for one must be repeatable (login.md 6.3). */
export function createConfirmations(options: ConfirmationsOptions): Confirmations {
  const { store, clock, lifetimes } = options
  const values = createOneTimeValues<Stored>({
    store,
    clock,
    kind: 'confirmation',
    form: 'hex',
    lifetimeMs: lifetimes.confirmCode,
  })
  return {
    create: (instance, owner, confirmation) => values.create(instance, owner, { ...confirmation }),
    find: async (instance, owner, code) => (await values.find(instance, owner, code))?.value,
  }
}

/** A confirmation as a type, which has the index signature that JSON needs. */
type Stored = { readonly [Name in keyof Confirmation]: Confirmation[Name] }
