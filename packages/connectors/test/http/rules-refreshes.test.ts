import { HOUR_MS } from '@svc/platform'
import type { Store } from '@svc/store'
import {
  anyStore,
  eachStore,
  type FakeClock,
  fakeClock,
  openProvider,
  type Provider,
  scaledLimit,
  timeBudget,
} from '@svc/testkit'
import { expect } from 'chai'
import { afterEach, beforeEach, describe, it } from 'mocha'
import { createStoredAccounts } from '../../src/accounts/account-store.ts'
import type { AccountDocument } from '../../src/accounts/account.ts'
import { stateKey } from '../../src/accounts/refresh-state.ts'
import { journalKey } from '../../src/accounts/token-journal.ts'
import { ConnectorError } from '../../src/connector-error.ts'
import type { AccountStore } from '../../src/ports.ts'
import { type RefreshServer, startRefresh, tokenIn } from '../support/refresh-server.ts'
import { until } from '../support/until.ts'

const TEN_MINUTES_MS = 600_000
/** As short as a slow machine can keep up with. */
const WAIT_MS = scaledLimit(900)
const LOCK_MS = scaledLimit(600)
/** Whoever asks the provider waits longer than whoever waits for them. */
const CALL_MS = timeBudget(10_000)

/** connectors.md 8.2; clocks are set while a provider is asked. */
describe('a clock that jumps while a refresh is under way', function () {
  this.timeout(20_000)

  eachStore((open) => {
    let clock: FakeClock
    let store: Store
    let server: RefreshServer
    let second: RefreshServer
    /** How often the second one looked at its clock. */
    let looks: number

    beforeEach(async () => {
      clock = fakeClock()
      store = await open({ clock })
      const connectors = {
        lifetimes: { refreshLock: LOCK_MS, refreshWait: WAIT_MS, call: CALL_MS },
      }
      server = await startRefresh({ store, clock, connectors })
      await server.putImported()
      // With locks and waiting of its own, as another process has them.
      looks = 0
      const looking = {
        now: () => {
          looks += 1
          return clock.now()
        },
      }
      second = await startRefresh({ store, clock: looking, connectors, sameAs: server })
      second.konnectors.set('bank', server.konnectors.get('bank') ?? { slug: '', permissions: {} })
    })
    afterEach(async () => {
      await second.close()
      await server.close()
    })

    it('back by 10 minutes keeps nobody waiting for longer than they would have', async () => {
      const { _id } = await server.importBank()
      const gate = server.provider.hold('token')
      const first = server.refresh(_id)
      await gate.arrived(1)
      const startedAt = performance.now()
      const before = looks
      const waiting = second.connectors
        .refreshAccount(server.alice, _id)
        .catch((error: unknown) => (error instanceof ConnectorError ? error.code : error))
      // It looks at the clock at each try to get the lock.
      await until(() => looks > before + 4)
      clock.advance(-TEN_MINUTES_MS)
      expect(await waiting).to.equal('oauth_refresh_in_progress')
      expect(performance.now() - startedAt).to.be.below(WAIT_MS + timeBudget(1000))
      gate.open()
      expect((await first).status).to.equal(200)
      expect(server.provider.requestsOf('token')).to.have.length(1)
    })

    it('on by 10 minutes puts no wrong token into the account, and the next refresh works', async () => {
      const { _id } = await server.importBank()
      const gate = server.provider.hold('token')
      const first = server.refresh(_id)
      await gate.arrived(1)
      clock.advance(TEN_MINUTES_MS)
      const waiting = second.refresh(_id)
      gate.open()
      const answers = await Promise.all([first, waiting])
      for (const answer of answers) expect([200, 401]).to.include(answer.status)
      const next = await server.refresh(_id, { query: '?force=true' })
      const { oauth } = await server.stored(_id)
      if (next.status === 200) {
        expect(server.provider.grants.isLive(String(tokenIn(next)))).to.equal(true)
        expect(oauth?.status).to.equal('connected')
      } else expect(oauth?.status).to.equal('reconnect_required')
    })

    it('leaves nothing behind that says somebody still asks', async () => {
      const { _id } = await server.importBank()
      const gate = server.provider.hold('token')
      const first = server.refresh(_id)
      await gate.arrived(1)
      clock.advance(-TEN_MINUTES_MS)
      gate.open()
      expect((await first).status).to.equal(200)
      const state = await store.get(stateKey(server.alice, _id))
      expect(state?.value).not.to.have.property('asking')
      const startedAt = performance.now()
      expect((await second.refresh(_id)).status).to.equal(200)
      expect(performance.now() - startedAt).to.be.below(WAIT_MS)
    })
  })
})

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
