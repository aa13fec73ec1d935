import { HOUR_MS } from '@svc/platform'
import { eachStore, type FakeClock, fakeClock, openProvider, type Provider } from '@svc/testkit'
import type { Store } from '@svc/store'
import { expect } from 'chai'
import { afterEach, beforeEach, describe, it } from 'mocha'
import type { AccountDocument } from '../../src/accounts/account.ts'
import { type RefreshServer, startRefresh } from '../support/refresh-server.ts'
import { until } from '../support/until.ts'

/** More than a process refreshes at a time. */
const STUCK = 18

/** connectors.md 8.2, 8.7: a provider that hangs costs its own accounts their time, and no others. */
describe('a provider that does not answer', function () {
  this.timeout(20_000)

  eachStore((open) => {
    let clock: FakeClock
    let store: Store
    let server: RefreshServer
    let other: Provider

    beforeEach(async () => {
      clock = fakeClock()
      store = await open({ clock })
      other = await openProvider({ clock })
      server = await startRefresh({ store, clock })
      await server.putImported()
      await server.putImported({ _id: 'shop', ...other.entry })
    })
    afterEach(async () => {
      await server.close()
      await other.close()
    })

    const importShop = (): Promise<AccountDocument> => {
      const { accessToken, refreshToken } = other.grants.issue('client-1', 'files')
      const input = { accountType: 'shop', accessToken, refreshToken }
      return server.connectors.importAccount(server.alice, {
        ...input,
        // Due after all others.
        expiresAt: clock.now() + 2 * HOUR_MS,
      })
    }

    it('keeps no account of another provider from being refreshed when its connector asks', async () => {
      const gate = server.provider.hold('token')
      const stuck = await Promise.all(Array.from({ length: STUCK }, () => server.importBank()))
      const asked = Promise.all(stuck.map(({ _id }) => server.refresh(_id)))
      await gate.arrived(STUCK)
      const { _id } = await importShop()
      const account = await server.connectors.refreshAccount(server.alice, _id)
      expect(account.oauth?.refresh_seq).to.equal(1)
      gate.open()
      for (const { status } of await asked) expect(status).to.equal(200)
    })

    it('keeps no account of another provider from being refreshed ahead of its end', async () => {
      const gate = server.provider.hold('token')
      for (let at = 0; at < STUCK; at += 1) {
        await server.importBank({ expiresAt: clock.now() + HOUR_MS })
      }
      const { _id } = await importShop()
      await server.connectors.start()
      clock.advance(2 * HOUR_MS - 60_000)
      await gate.arrived(1)
      await until(async () => (await server.stored(_id)).oauth?.refresh_seq === 1)
      // Those of the one that hangs come one after the other, all of them.
      gate.open()
      for (const count of [STUCK / 3, STUCK / 2, STUCK]) {
        await until(() => {
          clock.advance(1000)
          return server.provider.requestsOf('token').length >= count
        })
      }
    })
  })
})
