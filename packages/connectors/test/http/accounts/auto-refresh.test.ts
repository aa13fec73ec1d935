import { DAY_MS, HOUR_MS, MINUTE_MS } from '@svc/platform'
import { anyStore, type FakeClock, fakeClock } from '@svc/testkit'
import type { Store } from '@svc/store'
import { expect } from 'chai'
import { afterEach, beforeEach, describe, it } from 'mocha'
import type { AccountDocument, AccountStatus } from '../../../src/accounts/account.ts'
import { type RefreshState, stateKey } from '../../../src/accounts/refresh-state.ts'
import { type RefreshServer, startRefresh } from '../../support/refresh-server.ts'
import { until } from '../../support/until.ts'

describe('refreshing ahead of the end (8.7)', function () {
  this.timeout(20_000)

  anyStore((open) => {
    let clock: FakeClock
    let store: Store
    let server: RefreshServer

    beforeEach(async () => {
      clock = fakeClock()
      store = await open({ clock })
      server = await startRefresh({ store, clock })
      await server.putImported()
      await server.connectors.start()
    })
    afterEach(() => server.close())

    const asked = (): number => server.provider.requestsOf('token').length
    const hasStatus = async (account: AccountDocument, status: AccountStatus): Promise<boolean> =>
      (await server.stored(account._id)).oauth?.status === status
    /** The attempt is over: the clock may jump without taking its lock away. */
    const hasFailed = async ({ _id }: AccountDocument, count: number): Promise<boolean> => {
      const record = await store.get(stateKey(server.alice, _id))
      const state = record?.value as unknown as RefreshState | undefined
      return state?.failing?.count === count
    }
    const importHour = (): Promise<AccountDocument> =>
      server.importBank({ expiresAt: clock.now() + HOUR_MS })

    it('replaces the token a margin before its end, and again before the next end', async () => {
      const account = await importHour()
      clock.advance(HOUR_MS - 20 * MINUTE_MS)
      // Whoever wakes up now finds nothing to do; another account's wake-up shows that it did wake up.
      const other = await server.importBank({ expiresAt: clock.now() + 3 * MINUTE_MS })
      clock.advance(2.1 * MINUTE_MS)
      await until(async () => (await server.stored(other._id)).oauth?.refresh_seq === 1)
      expect((await server.stored(account._id)).oauth?.refresh_seq).to.equal(0)
      clock.advance(8 * MINUTE_MS)
      await until(async () => (await server.stored(account._id)).oauth?.refresh_seq === 1)
      clock.advance(HOUR_MS - 5 * MINUTE_MS)
      await until(async () => (await server.stored(account._id)).oauth?.refresh_seq === 2)
    })

    it('tries again with growing pauses while the provider fails, and the account says so (8.7.4)', async () => {
      const account = await importHour()
      server.provider.script('token', { status: 500 }, { status: 503 })
      clock.advance(HOUR_MS - 5 * MINUTE_MS)
      await until(() => hasFailed(account, 1))
      expect(await hasStatus(account, 'refresh_failing')).to.equal(true)
      clock.advance(1.2 * MINUTE_MS)
      await until(() => hasFailed(account, 2))
      clock.advance(5.2 * MINUTE_MS)
      await until(() => hasStatus(account, 'connected'))
      expect(asked()).to.equal(3)
    })

    it('gives up after four days of failures, once (8.7.4)', async () => {
      const told: string[] = []
      server.connectors.on('account.reconnect_required', ({ code }) => told.push(code))
      const account = await importHour()
      server.provider.script('token', { status: 500 }, { status: 500 })
      clock.advance(HOUR_MS)
      await until(() => hasFailed(account, 1))
      clock.advance(4 * DAY_MS)
      // The event follows the write.
      await until(() => told.length > 0)
      expect(await hasStatus(account, 'reconnect_required')).to.equal(true)
      expect(told).to.deep.equal(['oauth_provider_unavailable'])
      expect(asked()).to.equal(2)
    })

    it('stops at once when the provider refuses for good (8.7.4)', async () => {
      const account = await importHour()
      const other = await importHour()
      server.provider.grants.revoke(server.issued[0]?.refreshToken ?? '')
      clock.advance(HOUR_MS)
      await until(() => hasStatus(account, 'reconnect_required'))
      await until(async () => (await server.stored(other._id)).oauth?.refresh_seq === 1)
      clock.advance(DAY_MS)
      await until(async () => (await server.stored(other._id)).oauth?.refresh_seq === 2)
      const sent = server.provider
        .requestsOf('token')
        .filter(({ parameters }) => parameters['refresh_token'] === server.issued[0]?.refreshToken)
      expect(sent).to.have.lengthOf(1)
    })

    it('goes on after a process that died: what was planned wakes another one', async () => {
      const account = await importHour()
      await server.connectors.close()
      clock.advance(HOUR_MS)
      expect(asked()).to.equal(0)
      await server.connectors.start()
      await until(async () => (await server.stored(account._id)).oauth?.refresh_seq === 1)
    })

    it('waits while the instance is blocked or the type is gone, and goes on a day later', async () => {
      const account = await importHour()
      const suspended = (): number =>
        server.logged.filter((line) => line.includes('account.refresh_suspended')).length
      await server.oauth.instances.update(server.alice.id, { status: 'blocked' })
      clock.advance(HOUR_MS)
      await until(() => suspended() === 1)
      await server.oauth.instances.update(server.alice.id, { status: 'active' })
      await server.connectors.accountTypes.delete('bank')
      clock.advance(DAY_MS)
      await until(() => suspended() === 2)
      expect(asked()).to.equal(0)
      await server.putImported()
      clock.advance(DAY_MS)
      await until(async () => (await server.stored(account._id)).oauth?.refresh_seq === 1)
    })

    it('leaves an account alone that was deleted, also by the host itself (4.9)', async () => {
      const account = await importHour()
      const other = await importHour()
      await server.accounts.delete(server.alice, account._id, account._rev)
      await server.connectors.accountDeleted(server.alice, account)
      clock.advance(HOUR_MS)
      await until(async () => (await server.stored(other._id)).oauth?.refresh_seq === 1)
      expect(asked()).to.equal(1)
    })
  })
})

describe('refreshing ahead of the end, when it is off (8.7.6)', () => {
  anyStore((open) => {
    it('plans nothing', async () => {
      const clock = fakeClock()
      const store = await open({ clock })
      const server = await startRefresh({ store, clock, connectors: { autoRefresh: false } })
      try {
        await server.putImported()
        await server.importBank({ expiresAt: clock.now() + HOUR_MS })
        const woken: string[] = []
        const stop = await store.scheduler.process('account-refresh', async ({ id }) => {
          woken.push(id)
        })
        await store.scheduler.at('account-refresh', 'last', clock.now())
        await until(() => woken.includes('last'))
        clock.advance(2 * HOUR_MS)
        await store.scheduler.at('account-refresh', 'very-last', clock.now())
        await until(() => woken.includes('very-last'))
        await stop()
        expect(woken).to.deep.equal(['last', 'very-last'])
      } finally {
        await server.close()
      }
    })
  })
})
