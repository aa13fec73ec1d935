import { type InstanceId, MINUTE_MS } from '@svc/platform'
import { indexKey, type Store } from '@svc/store'
import { eachStore, fakeClock, type FakeClock } from '@svc/testkit'
import { expect } from 'chai'
import { afterEach, beforeEach, describe, it } from 'mocha'
import { createToken, type PendingFlow, putState, takeState } from '../../src/flow/flow-store.ts'
import { DEFAULT_LIFETIMES } from '../../src/lifetimes.ts'
import {
  CALLBACK_URL,
  type ConnectorsServer,
  startConnectors,
} from '../support/connectors-server.ts'
import {
  appQuery,
  begin,
  beginAndAllow,
  errorCode,
  JSON_API,
  liveStates,
  refusalOf,
} from '../support/flow-steps.ts'
import { until } from '../support/until.ts'

/** connectors.md 4.3, 11 */
describe('states', () => {
  eachStore((openStore) => {
    let server: ConnectorsServer
    let store: Store
    let clock: FakeClock
    let services: Parameters<typeof takeState>[0]

    beforeEach(async () => {
      clock = fakeClock()
      store = await openStore({ clock })
      server = await startConnectors({ store, clock })
      const { sealer, log } = server.oauth
      services = { store, sealer, clock, log, lifetimes: DEFAULT_LIFETIMES }
    })
    afterEach(() => server.close())

    const flowOf = (instance: InstanceId, createdAt = clock.now()): PendingFlow => ({
      v: 1,
      instance,
      accountType: 'bank',
      kind: 'create',
      clientState: '',
      nonce: '',
      slug: 'home',
      scope: '',
      redirectUri: 'https://a.example',
      createdAt,
    })

    async function put(instance: InstanceId, createdAt?: number): Promise<string> {
      const state = createToken()
      await putState(services, state, flowOf(instance, createdAt))
      return state
    }

    it('give back what was put, to one of many who ask at once', async () => {
      const { id } = server.alice
      const state = await put(id)
      const taken = await Promise.all(
        Array.from({ length: 20 }, () => takeState(services, state, () => true)),
      )
      expect(taken.filter(Boolean)).to.have.length(1)
      expect(taken.find(Boolean)).to.include({ instance: id, accountType: 'bank' })
    })

    it('are not taken for anything else', async () => {
      const state = await put(server.alice.id)
      for (const other of ['', state.slice(1), `${state}A`, createToken(), `${state}\n`]) {
        expect(await takeState(services, other, () => true)).to.equal(undefined)
      }
      expect(await takeState(services, state, () => true)).not.to.equal(undefined)
    })

    it('are at most 200 of an instance: the oldest go, those of others stay', async () => {
      const { alice, bob } = server
      const ofBob = await put(bob.id, 1)
      const start = clock.now()
      const all: string[] = []
      for (let at = 0; at < 150; at += 1) all.push(await put(alice.id, start + at))
      // Also when many come at once.
      const more = await Promise.all(
        Array.from({ length: 60 }, (_, at) => put(alice.id, start + 150 + at)),
      )
      all.push(...more)
      const taken = await Promise.all(all.map((state) => takeState(services, state, () => true)))
      expect(taken.filter(Boolean)).to.have.length(200)
      expect(taken.slice(0, 10).filter(Boolean)).to.deep.equal([])
      expect(await takeState(services, ofBob, () => true)).not.to.equal(undefined)
    })

    it('go with their instance', async () => {
      await server.putType()
      const browser = server.browser()
      const url = await beginAndAllow(browser)
      expect(await liveStates(server)).to.equal(1)
      await server.oauth.instances.remove(server.alice.id)
      expect(await liveStates(server)).to.equal(0)
      const bob = url.replace('alice.', 'bob.')
      expect(errorCode(await browser.get(bob, { headers: JSON_API }))).to.equal('bad_state')
    })
  })
})

const UNCOUNTED = { limit: 1_000_000, windowMs: 60_000 }

/** security.md 102; connectors.md 4.2 to 4.4, 11 */
describe('states, tickets and browsers', function () {
  this.timeout(20_000)

  eachStore((open, name) => {
    let server: ConnectorsServer
    let store: Store
    let clock: FakeClock

    beforeEach(async () => {
      clock = fakeClock()
      store = await open({ clock })
      server = await startConnectors({
        store,
        clock,
        connectors: {
          callbackUrl: CALLBACK_URL,
          limits: { 'account-start': UNCOUNTED, 'account-redirect': UNCOUNTED },
        },
      })
      await server.putType()
    })
    afterEach(() => server.close())

    const ask = (url: string, browser = server.browser()) => browser.get(url, { headers: JSON_API })
    async function expectBadState(url: string, browser = server.browser()): Promise<void> {
      const answer = await ask(url, browser)
      expect(refusalOf(answer)).to.deep.equal([400, 'bad_state'])
    }
    const ticketOf = (location: string | null | undefined): string =>
      new URL(location ?? '').searchParams.get('ticket') ?? ''

    it('are not taken for each other', async () => {
      const browser = server.browser()
      const url = new URL(await beginAndAllow(browser))
      const state = url.searchParams.get('state') ?? ''
      await expectBadState(`/accounts/bank/complete?ticket=${state}`, browser)
      const ticket = ticketOf((await browser.get(url.href)).location)
      await expectBadState(`/accounts/bank/redirect?state=${ticket}&code=x`, browser)
      await expectBadState(`${CALLBACK_URL}/accounts/bank/redirect?state=${ticket}&code=x`)
      const binder = browser.cookie('__Host-svc_acct')?.value ?? ''
      await expectBadState(`/accounts/bank/redirect?state=${binder}&code=x`, browser)
      await expectBadState(`/accounts/bank/complete?ticket=${binder}`, browser)
      // None of these used the ticket up.
      const done = await browser.get(`/accounts/bank/complete?ticket=${ticket}`)
      expect([...appQuery(done).keys()]).to.deep.equal(['account'])
    })

    it('of one owner are nothing at another, who can neither use nor spend a ticket', async () => {
      const browser = server.browser()
      const ticket = ticketOf((await browser.get(await beginAndAllow(browser))).location)
      const bob = server.browser({ base: server.bob.origin })
      await expectBadState(`/accounts/bank/complete?ticket=${ticket}`, bob)
      // Nor can another browser.
      await expectBadState(`/accounts/bank/complete?ticket=${ticket}`)
      const done = await browser.get(`/accounts/bank/complete?ticket=${ticket}`)
      expect([...appQuery(done).keys()]).to.deep.equal(['account'])
      expect(await server.accountsOf(server.bob)).to.deep.equal([])
    })

    it('of one type are nothing at another, before and after the hop', async () => {
      await server.putType({ _id: 'shop', slug: 'shop' })
      const browser = server.browser()
      const first = new URL(await beginAndAllow(browser))
      await expectBadState(`${CALLBACK_URL}/accounts/shop/redirect${first.search}`, browser)
      const ticket = ticketOf((await browser.get(await beginAndAllow(browser))).location)
      await expectBadState(`/accounts/shop/complete?ticket=${ticket}`, browser)
      expect(await server.accountsOf()).to.deep.equal([])
      expect(server.provider.requestsOf('token')).to.deep.equal([])
      expect((await browser.get(`/accounts/bank/complete?ticket=${ticket}`)).status).to.equal(302)
    })

    it('that an owner who means harm sends to somebody else connect nothing', async () => {
      // Started in a browser of theirs; the answer comes in the browser of who is meant to be robbed.
      const url = await beginAndAllow(server.browser())
      const victim = server.browser({ base: server.bob.origin })
      await begin(victim)
      const hop = await victim.get(url)
      expect(new URL(hop.location ?? '').origin).to.equal(server.alice.origin)
      await expectBadState(hop.location ?? '', victim)
      expect(await server.accountsOf()).to.deep.equal([])
      expect(await server.accountsOf(server.bob)).to.deep.equal([])
      expect(server.provider.requestsOf('token')).to.deep.equal([])
    })

    it('end with their time although the clock was set back before', async () => {
      const browser = server.browser()
      const url = await beginAndAllow(browser)
      clock.advance(-10 * MINUTE_MS)
      clock.advance(26 * MINUTE_MS)
      await expectBadState(url, browser)
    })

    it('of a start under another key are unknown, and nothing breaks', async () => {
      const browser = server.browser()
      const url = await beginAndAllow(browser)
      const other = await startConnectors({
        store,
        clock,
        sameAs: server,
        oauth: { keys: [{ kid: 'other', key: Buffer.alloc(32, 9) }] },
        connectors: { callbackUrl: CALLBACK_URL },
      })
      try {
        const answer = await other.browser().get(url, { headers: JSON_API })
        expect(refusalOf(answer)).to.deep.equal([400, 'bad_state'])
        expect(other.logged.join('\n')).to.include('account.value_unreadable')
        expect(other.logged.join('\n')).not.to.include(new URL(url).searchParams.get('state'))
      } finally {
        await other.close()
      }
    })

    it('do not pile up: after 400 starts at once 200 are left, the newest ones', async () => {
      const browser = server.browser()
      for (let round = 0; round < 4; round += 1) {
        await Promise.all(Array.from({ length: 100 }, () => browser.get('/accounts/bank/start')))
        clock.advance(1)
      }
      const { state } = await begin(browser)
      const count = async (): Promise<number> => {
        let all = 0
        let cursor: string | undefined
        do {
          const page = await store.list(indexKey(server.alice.id, 'account-states'), {
            ...(cursor !== undefined && { cursor }),
          })
          all += page.records.length
          cursor = page.cursor
        } while (cursor !== undefined)
        return all
      }
      await until(async () => (await count()) <= 200)
      expect(await count(), name).to.equal(200)
      const answer = await browser.get(`/accounts/bank/redirect?state=${state}&error=access_denied`)
      expect(appQuery(answer).get('error')).to.equal('access_denied')
    })
  })
})
