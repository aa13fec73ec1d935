import { inspect } from 'node:util'
import { sqliteStore } from '@svc/store/sqlite'
import type { BrowserResponse } from '@svc/testkit'
import { expect } from 'chai'
import fc from 'fast-check'
import { after, before, beforeEach, describe, it } from 'mocha'
import {
  CALLBACK_URL,
  type ConnectorsServer,
  startConnectors,
} from '../support/connectors-server.ts'
import { begin, JSON_API } from '../support/flow-steps.ts'

/** connectors.md 3.3 (2), 13; security.md 102 */
describe('a whole flow over the callback host', () => {
  let server: ConnectorsServer

  beforeEach(async () => {
    server = await startConnectors({
      connectors: { callbackUrl: CALLBACK_URL },
    })
    await server.putType({ pkce: 'S256' })
  })

  it('shows no token, code, verifier, client secret, binder or state where it does not belong', async () => {
    const browser = server.browser()
    const begun = await begin(browser, '/accounts/bank/start?nonce=nonce-of-app')
    const atProvider = await browser.follow(begun.answer)
    const hop = await browser.follow(atProvider)
    const end = await browser.follow(hop)
    const again = await browser.get(atProvider.location ?? '')
    const [exchange] = server.provider.requestsOf('token')
    const [account] = await server.accountsOf()
    const fields = await server.connectors.fieldsForConnector(
      server.alice,
      account ?? expect.fail('there is no account'),
    )
    const code = new URL(atProvider.location ?? '').searchParams.get('code') ?? ''
    const secrets = {
      accessToken: String(fields['access_token']),
      code,
      verifier: exchange?.parameters['code_verifier'] ?? '',
      clientSecret: 'secret-1',
      binder: begun.answer.setCookie('__Host-svc_acct')?.value ?? '',
      state: begun.state,
      ticket: new URL(hop.location ?? '').searchParams.get('ticket') ?? '',
    }
    for (const [name, secret] of Object.entries(secrets)) {
      expect(secret.length, name).to.be.at.least(8)
      for (const line of server.logged) expect(line, name).not.to.include(secret)
      expect(JSON.stringify(server.heard), name).not.to.include(secret)
      expect(JSON.stringify(account), name).not.to.include(secret)
      expect(inspect(server.connectors, { depth: 10 }), name).not.to.include(secret)
    }
    const shown = (answer: BrowserResponse, ...besides: (keyof typeof secrets)[]): void => {
      const text = answer.text + JSON.stringify(answer.headers)
      for (const [name, secret] of Object.entries(secrets)) {
        const isMeant = (besides as string[]).includes(name)
        expect(text.includes(secret), `${name} at ${new URL(answer.url).host}`).to.equal(isMeant)
      }
    }
    shown(begun.answer, 'binder', 'state')
    shown(hop, 'ticket')
    shown(end)
    shown(again)
  })
})

const ROOMY = { limit: 1_000_000, windowMs: 60_000 }
const NAMES = [
  'code',
  'state',
  'error',
  'error_description',
  'iss',
  'scope',
  'slug',
  'nonce',
  '__proto__',
]

/** Bytes that a request target may hold; what Node's parser refuses never gets here. */
const targetText = fc.string({
  unit: fc.constantFrom(...'aZ09-._~%/?:@!$&\'()*+,;=[]{}|\\^`"<>'.split('')),
})
const value = fc.oneof(fc.string({ unit: 'binary' }).map(encode), targetText)
const query = fc
  .array(fc.tuple(fc.oneof(fc.constantFrom(...NAMES), value), value), { maxLength: 8 })
  .map((pairs) => pairs.map(([name, text]) => `${name}=${text}`).join('&'))

function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}

/** security.md 14, 115; connectors.md 4.5: nothing of a provider's is reflected. */
describe('whatever a query holds', function () {
  this.timeout(20_000)
  let server: ConnectorsServer
  before(async () => {
    server = await startConnectors({
      store: sqliteStore({ file: ':memory:' }),
      connectors: {
        callbackUrl: CALLBACK_URL,
        limits: { 'account-start': ROOMY, 'account-redirect': ROOMY },
      },
    })
    await server.putType({ redirect_uri: 'https://alice.example.com/accounts/bank/redirect' })
  })
  after(async () => {
    await server.close()
    await server.store.close()
  })

  it('start sends to the provider, or refuses', async () => {
    const browser = server.browser()
    await fc.assert(
      fc.asyncProperty(query, async (text) => {
        const target = `/accounts/bank/start?${text}`
        const answer = await browser.get('/', { target, headers: JSON_API })
        expect([302, 400], `${target} ${answer.text}`).to.include(answer.status)
        if (answer.status !== 302) return
        const url = new URL(answer.location ?? '')
        expect(url.origin).to.equal(server.provider.origin)
        expect(url.searchParams.getAll('state')).to.have.length(1)
        expect(url.searchParams.getAll('client_id')).to.deep.equal(['client-1'])
      }),
      { numRuns: 300 },
    )
  })

  it('an answer with an unknown state is refused, here and on the callback host', async () => {
    const browser = server.browser()
    await fc.assert(
      fc.asyncProperty(query, fc.constantFrom('', CALLBACK_URL), async (text, base) => {
        const target = `/accounts/bank/redirect?${text}`
        const answer = await browser.get(`${base}/`, { target, headers: JSON_API })
        expect(answer.status, `${target} ${answer.text}`).to.equal(400)
      }),
      { numRuns: 300 },
    )
  })

  it('an answer with a known state leads to the app with nothing but an error of ours', async () => {
    const browser = server.browser()
    await fc.assert(
      fc.asyncProperty(query, async (text) => {
        const { state } = await begin(browser, '/accounts/bank/start?state=mine')
        const target = `/accounts/bank/redirect?state=${state}&${text}`
        const answer = await browser.get('/', { target, headers: JSON_API })
        expect([302, 400], `${target} ${answer.text}`).to.include(answer.status)
        if (answer.status !== 302) return
        expect(answer.location).to.match(
          /^https:\/\/home\.alice\.example\.com\/\?state=mine&error=[a-z_]+#$/,
        )
      }),
      { numRuns: 200 },
    )
    expect(await server.accountsOf()).to.deep.equal([])
  })
})
