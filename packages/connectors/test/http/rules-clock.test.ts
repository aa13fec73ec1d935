import { type FakeClock, eachStore, fakeClock, timeBudget, scaledLimit } from '@svc/testkit'
import type { Store } from '@svc/store'
import { expect } from 'chai'
import { afterEach, beforeEach, describe, it } from 'mocha'
import { ConnectorError } from '../../src/connector-error.ts'
import { stateKey } from '../../src/accounts/refresh-state.ts'
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
