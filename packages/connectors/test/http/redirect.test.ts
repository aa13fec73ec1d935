import { indexKey, type Store } from '@svc/store'
import { type FakeClock, fakeClock, eachStore, type OpenStore } from '@svc/testkit'
import { expect } from 'chai'
import { afterEach, beforeEach, describe, it } from 'mocha'
import { type ConnectorsServer, startConnectors } from '../support/connectors-server.ts'
import { appQuery, begin, beginAndAllow, JSON_API, liveStates } from '../support/flow-steps.ts'

const BAD_STATE = {
  errors: [
    {
      status: '400',
      title: 'Bad Request',
      code: 'bad_state',
      detail: 'the OAuth state is missing, unknown, expired or already used',
    },
  ],
}

/** connectors.md 4.2, 4.3, 4.4, 4.5; security.md 102 */
describe('GET /accounts/:accountType/redirect', () => {
  eachStore((openStore: OpenStore) => {
    let server: ConnectorsServer
    let clock: FakeClock
    let store: Store

    beforeEach(async () => {
      clock = fakeClock()
      store = await openStore({ clock })
      server = await startConnectors({ store, clock })
      await server.putType()
    })
    afterEach(() => server.close())

    /** Nothing was asked of the provider and nothing written. */
    async function expectNothing(): Promise<void> {
      expect(server.provider.requestsOf('token')).to.have.length(0)
      expect(await server.accountsOf()).to.have.length(0)
      expect(await server.accountsOf(server.bob)).to.have.length(0)
      expect(server.heard).to.deep.equal([])
    }

    it('writes the account and leads to the app with its id and the state of the app', async () => {
      const browser = server.browser()
      const url = await beginAndAllow(browser, '/accounts/bank/start?state=of%20app&slug=drive')
      const answer = await browser.get(url)
      const [account] = await server.accountsOf()
      expect(answer.location).to.equal(
        `https://drive.alice.example.com/?account=${account?._id}&state=of%20app#`,
      )
      expect(answer.headers).to.include({
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
      })
      expect(account).to.include({ account_type: 'bank' })
      expect(account?.oauth).to.include({ status: 'connected' })
      expect(server.heard.map(({ verb }) => verb)).to.deep.equal(['CREATED'])
    })

    it('tells the token endpoint code, redirect_uri and state as they were', async () => {
      await server.putType({ pkce: 'S256', nonce_on_token: true })
      const browser = server.browser()
      const begun = await begin(browser, '/accounts/bank/start?nonce=of-the-app')
      const answer = await browser.follow(begun.answer)
      await browser.get(answer.location ?? '')
      const [request] = server.provider.requestsOf('token')
      const code = new URL(answer.location ?? '').searchParams.get('code')
      expect(request?.parameters).to.include({
        grant_type: 'authorization_code',
        code,
        redirect_uri: 'https://alice.example.com/accounts/bank/redirect',
        state: begun.state,
        nonce: 'of-the-app',
      })
      expect(request?.parameters['code_verifier']).to.match(/^[A-Za-z0-9_-]{43}$/)
      expect(await server.accountsOf()).to.have.length(1)
    })

    it('uses a state up: the same answer again is bad_state, and writes nothing more', async () => {
      const browser = server.browser()
      const url = await beginAndAllow(browser)
      expect((await browser.get(url)).status).to.equal(302)
      const again = await browser.get(url, { headers: JSON_API })
      expect(again.status).to.equal(400)
      expect(again.json()).to.deep.equal(BAD_STATE)
      expect(server.provider.requestsOf('token')).to.have.length(1)
      expect(await server.accountsOf()).to.have.length(1)
    })

    it('lets exactly one of several simultaneous identical answers through', async () => {
      const browser = server.browser()
      const url = await beginAndAllow(browser)
      const answers = await Promise.all(
        Array.from({ length: 10 }, () => browser.get(url, { headers: JSON_API })),
      )
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([302, ...Array(9).fill(400)])
      expect(server.provider.requestsOf('token')).to.have.length(1)
      expect(await server.accountsOf()).to.have.length(1)
    })

    for (const [what, from, to] of [
      ['at another instance', '//alice.', '//bob.'],
      ['at another account type', '/bank/', '/other/'],
    ] as const) {
      it(`refuses a state ${what}, and does not use it up`, async () => {
        await server.putType({ _id: 'other' })
        const browser = server.browser()
        const url = await beginAndAllow(browser)
        const answer = await browser.get(url.replace(from, to), { headers: JSON_API })
        expect(answer.status).to.equal(400)
        expect(answer.json()).to.deep.equal(BAD_STATE)
        await expectNothing()
        expect([...appQuery(await browser.get(url)).keys()]).to.deep.equal(['account'])
      })
    }

    it('refuses another browser, with a cookie of its own or without one', async () => {
      const browser = server.browser()
      const urls = [await beginAndAllow(browser), await beginAndAllow(browser)]
      for (const [at, url] of urls.entries()) {
        const stranger = server.browser()
        if (at > 0) await begin(stranger)
        const answer = await stranger.get(url, { headers: JSON_API })
        expect(answer.json()).to.deep.equal(BAD_STATE)
      }
      await expectNothing()
      for (const url of urls) expect((await browser.get(url)).status, 'not used up').to.equal(302)
    })

    it('takes any browser when the type wants no binding, or the host', async () => {
      await server.putType({ browser_binding: false })
      const url = await beginAndAllow(server.browser())
      const answer = await server.browser({ session: null }).get(url)
      expect(appQuery(answer).has('account')).to.equal(true)
    })

    it('refuses a state after 15 minutes', async () => {
      const browser = server.browser()
      const inTime = await beginAndAllow(browser)
      const late = await beginAndAllow(browser)
      clock.advance(14 * 60_000)
      expect((await browser.get(inTime)).status).to.equal(302)
      clock.advance(61_000)
      const answer = await browser.get(late, { headers: JSON_API })
      expect(answer.json()).to.deep.equal(BAD_STATE)
      expect(await server.accountsOf()).to.have.length(1)
    })

    for (const [what, method, headers] of [
      ['HEAD', 'HEAD', {}],
      ['POST', 'POST', {}],
      ['a prefetch', 'GET', { 'sec-purpose': 'prefetch' }],
      ['an old prefetch', 'GET', { purpose: 'prefetch' }],
    ] as const) {
      it(`is used up by nothing but a visit: not by ${what}`, async () => {
        const browser = server.browser()
        const url = await beginAndAllow(browser)
        const answer = await browser.request(method, url, { headers })
        expect(answer.status).to.equal(method === 'GET' ? 204 : 405)
        if (method !== 'GET') expect(answer.headers['allow']).to.equal('GET')
        expect(await liveStates(server)).to.equal(1)
        await expectNothing()
        expect((await browser.get(url)).status).to.equal(302)
      })
    }

    it('keeps nothing readable of what waits: neither state nor verifier nor state of the app', async () => {
      await server.putType({ pkce: 'S256' })
      const { state } = await begin(server.browser(), '/accounts/bank/start?state=app-state-1')
      const { records } = await store.list(indexKey(server.alice.id, 'account-states'))
      expect(records).to.have.length(1)
      expect(String(records[0]?.value)).to.match(/^v1\.test\./)
      const stored = JSON.stringify(records)
      expect(stored).not.to.include(state)
      expect(stored).not.to.include('app-state-1')
    })

    it('opens no record that was moved to another state', async () => {
      const browser = server.browser()
      const first = await beginAndAllow(browser)
      const second = await beginAndAllow(browser)
      const { records } = await store.list(indexKey(server.alice.id, 'account-states'))
      const swapped = records.map(({ key, expiresAt = 0 }, at) => {
        const value = records[1 - at]?.value ?? null
        return { op: 'put', key, value, expiresAt } as const
      })
      expect((await store.write(swapped)).written).to.equal(true)
      for (const url of [first, second]) {
        expect((await browser.get(url, { headers: JSON_API })).json()).to.deep.equal(BAD_STATE)
      }
      await expectNothing()
    })
  })
})
