import { expect } from 'chai'
import { beforeEach, describe, it } from 'mocha'
import {
  CALLBACK_URL,
  type ConnectorsServer,
  startConnectors,
} from '../support/connectors-server.ts'
import { appQuery, begin, beginAndAllow, JSON_API, liveStates } from '../support/flow-steps.ts'

/** What leads to the type `bank` in the eyes of some server or proxy, but is not its address. */
const DETOURS = [
  '/accounts/bank/@/',
  '//accounts/bank/@',
  '/accounts//bank/@',
  '/accounts/bank//@',
  '/ACCOUNTS/bank/@',
  '/accounts/Bank/@',
  '/%61ccounts/bank/@',
  '/accounts/bank%2f@',
  '/accounts/bank%2F@',
  '/accounts/bank/@%2f',
  '/accounts/./bank/@',
  '/accounts/x/../bank/@',
  '/accounts/x/%2e%2e/bank/@',
  '/accounts/bank;v=1/@',
  '/accounts/bank%00/@',
  '/accounts/bank%20/@',
  '/accounts/beta%2Fbank/@',
  '/accounts/bank\\@',
  '/accounts/bank/@.json',
] as const

/** 405: some are the address of an account, which can be deleted only. */
const REFUSED = [404, 405]

/** security.md 102; connectors.md 2.3 (2), 4 */
describe('addresses that only look like those of a flow', () => {
  let server: ConnectorsServer

  beforeEach(async () => {
    server = await startConnectors({
      connectors: {
        callbackUrl: CALLBACK_URL,
        limits: { 'account-redirect': { limit: 1000, windowMs: 60_000 } },
      },
    })
    await server.putType()
  })

  for (const detour of DETOURS) {
    it(`start nothing: ${detour.replace('@', 'start')}`, async () => {
      const target = detour.replace('@', 'start')
      const answer = await server.browser().get('/', { headers: JSON_API, target })
      expect(REFUSED).to.include(answer.status)
      expect(answer.setCookies).to.deep.equal([])
      expect(await liveStates(server)).to.equal(0)
    })

    it(`use no state up, on an instance or the callback host: ${detour.replace('@', 'redirect')}`, async () => {
      const browser = server.browser()
      const { pathname, search } = new URL(await beginAndAllow(browser))
      expect(pathname).to.equal('/accounts/bank/redirect')
      const target = `${detour.replace('@', 'redirect')}${search}`
      for (const base of [server.alice.origin, CALLBACK_URL]) {
        const answer = await browser.get(base, { headers: JSON_API, target })
        expect(REFUSED, base).to.include(answer.status)
      }
      expect(await liveStates(server)).to.equal(1)
      const hop = await browser.get(`${CALLBACK_URL}${pathname}${search}`)
      expect([...appQuery(await browser.follow(hop)).keys()]).to.deep.equal(['account'])
    })
  }

  for (const host of [
    'owner@oauth.example.org',
    'oauth.example.org/x',
    'oauth.example.org?x',
    'oauth.example.org#x',
    'oauth.example.org\\x',
    'oauth.example.org:80',
    'oauth.example.org:8443',
    'oauth.example.org.',
    'x.oauth.example.org',
    'example.org',
    'oauth.example.org.evil.example',
    ' ',
  ]) {
    it(`are of no callback host: ${JSON.stringify(host)}`, async () => {
      const browser = server.browser()
      const { pathname, search } = new URL(await beginAndAllow(browser))
      const answer = await browser.get(`${CALLBACK_URL}${pathname}${search}`, {
        headers: { ...JSON_API, host },
      })
      expect(answer.status).to.be.within(400, 421)
      expect(answer.headers).not.to.have.property('location')
      expect(await liveStates(server)).to.equal(1)
    })
  }

  it('are of the callback host in capitals, and with the port of its scheme', async () => {
    const browser = server.browser()
    for (const host of ['OAUTH.example.ORG', 'oauth.example.org:443']) {
      const { pathname, search } = new URL(await beginAndAllow(browser))
      const answer = await browser.get(`${CALLBACK_URL}${pathname}${search}`, { headers: { host } })
      expect(answer.location).to.match(/^https:\/\/alice\.example\.com\/accounts\/bank\/complete\?/)
    }
  })

  for (const slug of [
    'home.evil.example',
    '//evil.example',
    'home/',
    'home%2F..',
    'home@evil.example',
    'HOME',
    'home%00',
    'home%0D%0ASet-Cookie:x=y',
    'ho%C3%B6me',
    '.',
    '-'.repeat(65),
  ]) {
    it(`lead to no app: slug ${slug.slice(0, 30)}`, async () => {
      const path = `/accounts/bank/start?slug=${slug}`
      const answer = await server.browser().get(path, { headers: JSON_API })
      expect(answer.status).to.equal(400)
      expect(await liveStates(server)).to.equal(0)
    })
  }

  it('come back to the app with its state as data, whatever is in it', async () => {
    const browser = server.browser()
    const state = 'a&account=planted#b?c=d/..//%2e%0d\u2028"<>é😀'
    const { state: ours } = await begin(
      browser,
      `/accounts/bank/start?state=${encodeURIComponent(state)}`,
    )
    const hop = await browser.get(`${CALLBACK_URL}/accounts/bank/redirect?state=${ours}&error=x`)
    const answer = await browser.follow(hop)
    const url = new URL(answer.location ?? '')
    expect(url.host).to.equal('home.alice.example.com')
    expect([...url.searchParams]).to.deep.equal([
      ['state', state],
      ['error', 'provider_error'],
    ])
    expect(answer.location).to.match(/^[\x21-\x7e]+$/)
  })

  for (const query of [
    'error=%E9chec',
    'code=%ff',
    'iss=%c3%28',
    'other=%80',
    'code=a%',
    '%ff=1',
  ]) {
    it(`are refused whole when the query is no UTF-8, and use no state up: ${query}`, async () => {
      const browser = server.browser()
      const { state } = await begin(browser)
      for (const base of [server.alice.origin, CALLBACK_URL]) {
        const url = `${base}/accounts/bank/redirect?state=${state}&${query}`
        const answer = await browser.get(url, { headers: JSON_API })
        expect(answer.status).to.equal(400)
        expect(answer.json()).to.have.nested.property('errors[0].code', 'invalid_request')
        expect(answer.text).not.to.include(state)
      }
      expect(await liveStates(server)).to.equal(1)
    })
  }
})
