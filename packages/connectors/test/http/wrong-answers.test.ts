import { sqliteStore } from '@svc/store/sqlite'
import { type FakeClock, fakeClock } from '@svc/testkit'
import { expect } from 'chai'
import { afterEach, beforeEach, describe, it } from 'mocha'
import { createStoredAccounts } from '../../src/accounts/account-store.ts'
import type { AccountStore } from '../../src/ports.ts'
import { type ConnectorsServer, startConnectors } from '../support/connectors-server.ts'
import { appQuery, beginAndAllow, connect, JSON_API, refusalOf } from '../support/flow-steps.ts'

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
  const answerWith = (change?: (answer: URLSearchParams) => void, path?: string) =>
    connect(server.browser(), path, change)

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
      expect(refusalOf(answer)).to.deep.equal([400, code])
    })
  }

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
      const query = await answerWith()
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
})
