import { type FakeClock, anyStore, fakeClock } from '@svc/testkit'
import { expect } from 'chai'
import { afterEach, beforeEach, describe, it } from 'mocha'
import { createStoredAccounts } from '../../src/accounts/account-store.ts'
import { journalKey } from '../../src/accounts/token-journal.ts'
import type { Store } from '@svc/store'
import type { AccountStore } from '../../src/ports.ts'
import { type RefreshServer, startRefresh, tokenIn } from '../support/refresh-server.ts'

/** connectors.md 8.2 (7), 7.2 */
describe('an account that keeps changing while it is refreshed', () => {
  anyStore((open) => {
    let clock: FakeClock
    let store: Store
    let server: RefreshServer
    /** How often somebody else writes first. */
    let conflicts: number
    let accounts: AccountStore

    beforeEach(async () => {
      clock = fakeClock()
      conflicts = 0
      store = await open({ clock })
      accounts = createStoredAccounts(store)
      const update: AccountStore['update'] = async (instance, account) => {
        const now = await accounts.get(instance, account._id)
        if (conflicts > 0 && now !== undefined) {
          conflicts -= 1
          await accounts.update(instance, { ...now, name: `edit ${conflicts}` })
        }
        return accounts.update(instance, account)
      }
      server = await startRefresh({
        store,
        clock,
        connectors: { accounts: { ...accounts, update } },
      })
      await server.putImported()
    })
    afterEach(() => server.close())

    it('gets its tokens and keeps the edits, up to the fifth try', async () => {
      const { _id } = await server.importBank()
      conflicts = 4
      const answer = await server.refresh(_id)
      expect(answer.status).to.equal(200)
      const stored = await server.stored(_id)
      expect(stored).to.include({ name: 'edit 0' })
      expect(stored.oauth?.refresh_seq).to.equal(1)
      expect(await store.get(journalKey(server.alice, _id))).to.equal(undefined)
    })

    it('loses no token beyond that: they are kept aside, used, and put in at the next look', async () => {
      const { _id } = await server.importBank()
      conflicts = 5
      const answer = await server.refresh(_id)
      expect(answer.status).to.equal(200)
      expect((await server.stored(_id)).oauth?.refresh_seq).to.equal(0)
      expect(await store.get(journalKey(server.alice, _id))).not.to.equal(undefined)
      expect((await server.fields(_id))['access_token']).to.equal(tokenIn(answer))
      expect((await server.stored(_id)).oauth?.refresh_seq).to.equal(1)
      // The refresh token that rotated is the one that is sent next.
      expect((await server.refresh(_id)).status).to.equal(200)
      expect(server.provider.requestsOf('token')).to.have.length(2)
    })
  })
})
