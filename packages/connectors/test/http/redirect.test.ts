import { indexKey, type Store } from '@svc/store'
import { sqliteStore } from '@svc/store/sqlite'
import { type FakeClock, fakeClock, eachStore, type OpenStore } from '@svc/testkit'
import { expect } from 'chai'
import { afterEach, beforeEach, describe, it } from 'mocha'
import { createStoredAccounts } from '../../src/accounts/account-store.ts'
import type { AccountStore } from '../../src/ports.ts'
import { type ConnectorsServer, startConnectors } from '../support/connectors-server.ts'
import {
  appQuery,
  begin,
  beginAndAllow,
  connect,
  errorCode,
  JSON_API,
  liveStates,
} from '../support/flow-steps.ts'

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

    for (const [what, change, isStranger] of [
      ['at another instance', (url: string) => url.replace('//alice.', '//bob.'), false],
      ['at another account type', (url: string) => url.replace('/bank/', '/other/'), false],
      ['in another browser', (url: string) => url, true],
    ] as const) {
      it(`refuses a state ${what}, and does not use it up`, async () => {
        await server.putType({ _id: 'other' })
        const browser = server.browser()
        const url = await beginAndAllow(browser)
        const elsewhere = isStranger ? server.browser() : browser
        const answer = await elsewhere.get(change(url), { headers: JSON_API })
        expect(answer.status).to.equal(400)
        expect(answer.json()).to.deep.equal(BAD_STATE)
        await expectNothing()
        expect([...appQuery(await browser.get(url)).keys()]).to.deep.equal(['account'])
      })
    }

    it('refuses another browser, with a cookie of its own or without one', async () => {
      for (const prepare of [
        async () => {},
        async (stranger: ReturnType<typeof server.browser>) => void (await begin(stranger)),
      ]) {
        const url = await beginAndAllow(server.browser())
        const stranger = server.browser()
        await prepare(stranger)
        const answer = await stranger.get(url, { headers: JSON_API })
        expect(answer.json()).to.deep.equal(BAD_STATE)
      }
      await expectNothing()
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

/** connectors.md 4.2, 4.6, 5.3 */
describe('what is wrong with an answer', () => {
  let server: ConnectorsServer
  let clock: FakeClock
  let accounts: AccountStore

  beforeEach(async () => {
    clock = fakeClock()
    const store = sqliteStore({ file: ':memory:', clock })
    accounts = createStoredAccounts(store)
    server = await startConnectors({ store, clock, connectors: { accounts } })
    await server.putType()
  })
  afterEach(async () => {
    await server.close()
    await server.store.close()
  })

  /** The provider's redirect as a test writes it. */
  async function answerWith(
    change: (answer: URLSearchParams) => void,
    path?: string,
  ): Promise<URLSearchParams> {
    const browser = server.browser()
    const url = new URL(await beginAndAllow(browser, path))
    change(url.searchParams)
    return appQuery(await browser.get(url.href))
  }

  for (const [query, code] of [
    ['', 'bad_state'],
    ['?state=', 'bad_state'],
    ['?state=x', 'bad_state'],
    [`?state=${'A'.repeat(43)}`, 'bad_state'],
    ['?access_token=x', 'bad_state'],
    ['?code=a&code=b', 'invalid_request'],
    ['?state=a&state=b', 'invalid_request'],
    ['?error=a&error=b', 'invalid_request'],
    ['?iss=a&iss=b', 'invalid_request'],
    [`?code=${'x'.repeat(12_288)}`, 'invalid_request'],
    ['?state=%ff', 'invalid_request'],
  ] as const) {
    it(`is answered by us when it has ${query.slice(0, 20) || 'no query'}: ${code}`, async () => {
      const url = `/accounts/bank/redirect${query}`
      const answer = await server.browser().get(url, { headers: JSON_API })
      expect(answer.status).to.equal(400)
      expect(errorCode(answer)).to.equal(code)
    })
  }

  it('is 404 for what cannot be a type, and uses nothing up', async () => {
    const browser = server.browser()
    const { state } = await begin(browser)
    const url = `/accounts/BANK/redirect?state=${state}`
    expect((await browser.get(url, { headers: JSON_API })).status).to.equal(404)
    expect(await liveStates(server)).to.equal(1)
  })

  it('is told on a page that leads home, which keeps the opener', async () => {
    const answer = await server.browser().get('/accounts/bank/redirect?state=x')
    expect(answer.status).to.equal(400)
    expect(answer.page().links.map(({ href }) => href)).to.deep.equal([
      'https://alice.example.com/',
    ])
    expect(answer.headers['cross-origin-opener-policy']).to.equal('unsafe-none')
  })

  it('is 429 after 60 unknown states a minute, from that address alone, and never for a known one', async () => {
    const stranger = server.browser({ session: null })
    for (let at = 0; at < 60; at += 1) {
      const answer = await stranger.get('/accounts/bank/redirect?state=x', { headers: JSON_API })
      expect(answer.status).to.equal(400)
    }
    for (const path of ['redirect?state=x', 'complete?ticket=x']) {
      const answer = await stranger.get(`/accounts/bank/${path}`, { headers: JSON_API })
      expect(answer.status).to.equal(429)
      expect(Number(answer.headers['retry-after'])).to.be.within(1, 60)
    }
    expect((await connect(server.browser())).has('account')).to.equal(true)
    clock.advance(61_000)
    const later = await stranger.get('/accounts/bank/redirect?state=x', { headers: JSON_API })
    expect(later.status).to.equal(400)
  })

  for (const [error, told] of [
    ['access_denied', 'access_denied'],
    ['user_cancelled_login', 'access_denied'],
    ['temporarily_unavailable', 'provider_unavailable'],
    ['invalid_scope', 'provider_error'],
  ] as const) {
    it(`is told to the app as ${told} when the provider says ${error}, whatever else it says`, async () => {
      const query = await answerWith((answer) => {
        answer.set('error', error)
        answer.set('error_description', 'see https://evil.example\r\n now')
        answer.set('account', 'planted')
        answer.set('access_token', 'planted')
      }, '/accounts/bank/start?state=s')
      expect([...query]).to.deep.equal([
        ['state', 's'],
        ['error', told],
      ])
      expect(server.provider.requestsOf('token')).to.have.length(0)
      expect(await server.accountsOf()).to.have.length(0)
      const line = server.logged.find((each) => each.includes('account.provider_refused'))
      expect(line).to.include('"description":"see https://evil.example now"')
    })
  }

  it('is logged without controls, without what was sent, and at most 200 characters long', async () => {
    await answerWith((answer) => {
      answer.set('error', 'odd\r\n\u009b')
      answer.set('error_description', `${answer.get('state')} ${'x'.repeat(300)}`)
    })
    const line = server.logged.find((each) => each.includes('account.provider_refused')) ?? ''
    const fields = JSON.parse(line.slice(line.indexOf('{'))) as Record<string, string>
    expect(fields['error']).to.equal('odd')
    expect(fields['description']).to.match(/^\[redacted\] x+$/)
    expect(fields['description']).to.have.length(200)
  })

  it('exchanges a code of 6,000 characters as it came', async () => {
    const code = `0.A${'x'.repeat(5990)}-_.~+/=`
    server.provider.script('token', { body: { access_token: 'at' } })
    const query = await answerWith((answer) => answer.set('code', code))
    expect([...query.keys()]).to.deep.equal(['account'])
    expect(server.provider.requestsOf('token')[0]?.parameters['code']).to.equal(code)
  })

  it('is told as access_denied with an error_description of 9,000 characters', async () => {
    const query = await answerWith((answer) => {
      answer.set('error', 'access_denied')
      answer.set('error_description', 'x'.repeat(9000))
    })
    expect([...query]).to.deep.equal([['error', 'access_denied']])
  })

  for (const error of [undefined, 'access_denied']) {
    it(`leaves no fragment of the provider to the app ${error ? 'at a refusal' : 'at a success'}`, async () => {
      const browser = server.browser()
      const url = new URL(await beginAndAllow(browser))
      if (error !== undefined) url.searchParams.set('error', error)
      // A browser keeps the fragment of an address whose redirect brings none.
      expect((await browser.get(url.href)).location).to.match(/\?(?:account|error)=\w+#$/)
    })
  }

  it('is told as invalid_response when the code is missing or not printable', async () => {
    for (const code of [undefined, 'é', 'a\nb']) {
      const query = await answerWith((answer) => {
        if (code === undefined) answer.delete('code')
        else answer.set('code', code)
      })
      expect([...query]).to.deep.equal([['error', 'invalid_response']])
    }
    expect(server.provider.requestsOf('token')).to.have.length(0)
  })

  it('never takes an access token of the query', async () => {
    const query = await answerWith((answer) => {
      answer.delete('code')
      answer.set('access_token', 'planted')
    })
    expect([...query]).to.deep.equal([['error', 'invalid_response']])
    expect(await server.accountsOf()).to.have.length(0)
  })

  for (const [what, answer, told] of [
    ['an error body', { status: 400, body: { error: 'invalid_grant' } }, 'token_exchange_failed'],
    ['a wrong client', { status: 401, body: {} }, 'token_exchange_failed'],
    ['an error with 200', { body: { error: 'bad_verification_code' } }, 'token_exchange_failed'],
    ['500', { status: 500, body: 'secret-of-body' }, 'provider_unavailable'],
    ['429', { status: 429, body: {} }, 'provider_unavailable'],
    ['no token', { body: {} }, 'invalid_response'],
    ['something unreadable', { body: '<html>' }, 'invalid_response'],
    ['a redirect', { status: 302, headers: { location: '/token' } }, 'invalid_response'],
  ] as const) {
    it(`is told as ${told} when the token endpoint answers ${what}`, async () => {
      server.provider.script('token', answer)
      const query = await answerWith(() => {})
      expect([...query]).to.deep.equal([['error', told]])
      expect(await server.accountsOf()).to.have.length(0)
      expect(server.logged.join('\n')).not.to.include('secret-of-body')
    })
  }

  it('is told as internal_error when the type was taken away meanwhile', async () => {
    const browser = server.browser()
    const url = await beginAndAllow(browser)
    await server.connectors.accountTypes.delete('bank')
    expect([...appQuery(await browser.get(url))]).to.deep.equal([['error', 'internal_error']])
  })

  it('is told as internal_error when the account cannot be written, without a word of why', async () => {
    accounts.create = () => Promise.reject(new Error('disk full'))
    const query = await connect(server.browser())
    expect([...query]).to.deep.equal([['error', 'internal_error']])
  })

  describe('of a provider that says who it is', () => {
    for (const [what, iss, isTaken] of [
      ['itself', undefined, true],
      ['somebody else', 'https://evil.example', false],
    ] as const) {
      it(`is ${isTaken ? 'taken' : 'issuer_mismatch'} when it names ${what}`, async () => {
        await server.putType({ issuer: server.provider.origin })
        const query = await answerWith((answer) => {
          answer.set('iss', iss ?? server.provider.origin)
        })
        expect(query.get('error')).to.equal(isTaken ? null : 'issuer_mismatch')
        expect(server.provider.requestsOf('token')).to.have.length(isTaken ? 1 : 0)
      })
    }
  })

  it('keeps the subject of an id token that holds', async () => {
    await server.putType({ issuer: server.provider.origin })
    await connect(server.browser(), '/accounts/bank/start?scope=openid')
    const [account] = await server.accountsOf()
    expect(account?.oauth?.subject).to.equal('subject-1')
  })
})
