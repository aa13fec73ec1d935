import { failingAccountTypes } from '@svc/connectors'
import { type Check, fault, ok } from './check.ts'

/** Whether there is an account type whose accounts all get no new tokens. @see connectors.md 8.7 (4) */
export const accountTypesWork: Check = {
  id: 'account.types',
  when: 'doctor',
  async run({ store, clock }) {
    if (store === undefined) return []
    const failing = await failingAccountTypes(store, clock.now())
    if (failing.length === 0) return [ok('Every account type in use gets new tokens.')]
    return failing.map(({ accountType, since, reason }) =>
      fault(
        `No account of type ${accountType} got new tokens since ${new Date(since).toISOString()}: ${reason}.`,
        'Compare its client id, secret and endpoints with what the provider shows for your app.',
      ),
    )
  },
}
