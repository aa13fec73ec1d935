import { type BrowserClient, type FakeClock, fakeClock } from '@svc/testkit'
import { expect } from 'chai'
import { beforeEach, describe, it } from 'mocha'
import type { ConnectorsOptions } from '../../src/options.ts'
import {
  CALLBACK_URL,
  type ConnectorsServer,
  startConnectors,
} from '../support/connectors-server.ts'
import { appQuery, beginAndAllow, errorCode, JSON_API, refusalOf } from '../support/flow-steps.ts'

/** connectors.md 4.2 (4), 4.4 (3), (4); D38 */
describe('the callback host', () => {
  let server: ConnectorsServer
  let clock: FakeClock
  let browser: BrowserClient

  async function open(connectors: Partial<ConnectorsOptions> = {}): Promise<void> {
    clock = fakeClock()
    const options = { callbackUrl: CALLBACK_URL, ...connectors }
    server = await startConnectors({ clock, connectors: options })
    await server.putType()
    browser = server.browser()
  }
  beforeEach(() => open())

  /** From `start` over the provider to the callback host. @returns where it sends the browser */
  async function firstHop(): Promise<string> {
    const url = await beginAndAllow(browser, '/accounts/bank/start?state=s')
    expect(url).to.match(/^https:\/\/oauth\.example\.org\/accounts\/bank\/redirect\?/)
    const answer = await browser.get(url)
    expect(answer.status).to.equal(302)
    return answer.location ?? ''
  }

  it('hands an answer to the instance under a ticket, which alone shows; the instance goes on', async () => {
    const hop = await firstHop()
    expect(hop).to.match(
      /^https:\/\/alice\.example\.com\/accounts\/bank\/complete\?ticket=[A-Za-z0-9_-]{43}$/,
    )
    expect(server.provider.requestsOf('token')).to.have.length(0)
    const answer = await browser.get(hop)
    const [account] = await server.accountsOf()
    expect(answer.location).to.equal(
      `https://home.alice.example.com/?account=${account?._id}&state=s#`,
    )
    const [request] = server.provider.requestsOf('token')
    expect(request?.parameters['redirect_uri']).to.equal(
      'https://oauth.example.org/accounts/bank/redirect',
    )
  })

  it('takes a code of 6,000 characters and a description of 9,000 over both hops', async () => {
    const code = 'x'.repeat(6000)
    server.provider.script('token', { body: { access_token: 'at' } })
    const good = new URL(await beginAndAllow(browser))
    good.searchParams.set('code', code)
    const done = await browser.follow(await browser.get(good.href))
    expect(done.location).to.match(/\?account=\w+#$/)
    expect(server.provider.requestsOf('token')[0]?.parameters['code']).to.equal(code)
    const refused = new URL(await beginAndAllow(browser))
    refused.searchParams.set('error', 'access_denied')
    refused.searchParams.set('error_description', 'x'.repeat(9000))
    const told = await browser.follow(await browser.get(refused.href))
    expect(told.location).to.equal('https://home.alice.example.com/?error=access_denied#')
  })

  it('answers with the headers of an endpoint', async () => {
    const answer = await browser.get(await beginAndAllow(browser))
    expect(answer.headers).to.include({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'strict-transport-security': 'max-age=31536000; includeSubDomains',
      'x-content-type-options': 'nosniff',
    })
    expect(answer.setCookies).to.deep.equal([])
    expect(answer.text).to.equal('')
  })

  it('uses a ticket up: of several at once one gets through', async () => {
    const hop = await firstHop()
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => browser.get(hop, { headers: JSON_API })),
    )
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([302, 400, 400, 400, 400])
    expect(await server.accountsOf()).to.have.length(1)
  })

  for (const [method, headers, status] of [
    ['HEAD', {}, 405],
    ['POST', {}, 405],
    ['DELETE', {}, 405],
    ['OPTIONS', {}, 405],
    ['GET', { purpose: 'prefetch' }, 204],
    ['GET', { 'sec-purpose': 'prefetch' }, 204],
  ] as const) {
    it(`uses nothing up, here or after the hop, on ${method} ${JSON.stringify(headers)}`, async () => {
      const url = await beginAndAllow(browser)
      for (const find of [() => url, firstHop]) {
        const target = await find()
        const answer = await browser.request(method, target, { headers })
        expect(answer.status).to.equal(status)
        expect(answer.headers['allow']).to.equal(status === 405 ? 'GET' : undefined)
        expect((await browser.get(target)).status).to.equal(302)
      }
    })
  }

  it('lets a ticket live for a minute', async () => {
    const hop = await firstHop()
    clock.advance(61_000)
    const answer = await browser.get(hop, { headers: JSON_API })
    expect(errorCode(answer)).to.equal('bad_state')
    expect(server.provider.requestsOf('token')).to.have.length(0)
  })

  for (const [what, connectors, fields] of [
    ['the type', {}, { browser_binding: false }],
    ['the host', { browserBinding: 'off' }, {}],
  ] as const) {
    it(`exchanges the code itself when ${what} wants no binding`, async () => {
      await open(connectors)
      await server.putType(fields)
      const answer = await browser.get(await beginAndAllow(browser))
      expect(answer.location).to.match(/^https:\/\/home\.alice\.example\.com\/\?account=/)
      expect(await server.accountsOf()).to.have.length(1)
    })
  }

  it('answers the very state once, be it there or on the instance', async () => {
    const url = await beginAndAllow(browser)
    expect((await browser.get(url)).status).to.equal(302)
    for (const host of ['oauth.example.org', 'alice.example.com']) {
      const again = url.replace('oauth.example.org', host)
      expect(errorCode(await browser.get(again, { headers: JSON_API }))).to.equal('bad_state')
    }
  })

  it('takes an answer on the instance too, for types with a redirect_uri there', async () => {
    await server.putType({ redirect_uri: 'https://alice.example.com/accounts/bank/redirect' })
    const answer = await browser.get(await beginAndAllow(browser))
    expect(appQuery(answer).has('account')).to.equal(true)
  })

  it('refuses answers for an instance that is blocked', async () => {
    const url = await beginAndAllow(browser)
    await server.oauth.instances.update(server.alice.id, { status: 'blocked' })
    clock.advance(2000)
    expect(errorCode(await browser.get(url, { headers: JSON_API }))).to.equal('bad_state')
  })

  it('has no other path', async () => {
    for (const path of ['/', '/accounts/bank/start', '/accounts/bank/complete', '/auth/login']) {
      expect((await browser.get(CALLBACK_URL + path)).status, path).to.equal(404)
    }
  })

  for (const [path, status, code] of [
    ['/accounts/bank/redirect', 400, 'bad_state'],
    ['/accounts/bank/redirect?state=x', 400, 'bad_state'],
    ['/accounts/bank/redirect?state=a&state=b', 400, 'invalid_request'],
    ['/accounts/bank/redirect?code=%ff', 400, 'invalid_request'],
    [`/accounts/bank/redirect?code=${'x'.repeat(12_288)}`, 400, 'invalid_request'],
    ['/accounts/BANK/redirect?state=x', 404, 'account_type_not_found'],
    ['/accounts/beta%2Fbank/redirect?state=x', 404, 'account_type_not_found'],
  ] as const) {
    it(`answers ${path.slice(0, 45)} with ${status} ${code}`, async () => {
      const answer = await browser.get(CALLBACK_URL + path, { headers: JSON_API })
      expect(refusalOf(answer)).to.deep.equal([status, code])
    })
  }

  it('counts unknown states of an address, wherever they come', async () => {
    for (let at = 0; at < 30; at += 1) {
      await browser.get(`${CALLBACK_URL}/accounts/bank/redirect?state=x`)
      await browser.get('https://bob.example.com/accounts/bank/redirect?state=x')
    }
    const url = `${CALLBACK_URL}/accounts/bank/redirect?state=x`
    const answer = await browser.get(url, { headers: JSON_API })
    expect(answer.status).to.equal(429)
    expect(Number(answer.headers['retry-after'])).to.be.within(1, 60)
  })

  it('tells people what happened on a page in their language, with nothing of the request in it', async () => {
    for (const [language, locale, words] of [
      ['fr-CH, fr;q=0.9', 'fr', 'Revenez à l’application'],
      ['de', 'de', 'Gehen Sie zurück zur App'],
      ['es', 'es', 'Vuelva a la aplicación'],
      ['pt', 'en', 'Go back to the app'],
    ] as const) {
      const url = `${CALLBACK_URL}/accounts/bank/redirect?state=%3Cb%3Eplanted`
      const answer = await browser.get(url, { headers: { 'accept-language': language } })
      expect(answer.status).to.equal(400)
      expect(answer.headers).to.include({ 'content-language': locale, 'x-frame-options': 'DENY' })
      expect(answer.page().text).to.include(words)
      expect(answer.page().elements('html')[0]?.attrs).to.deep.include({
        name: 'lang',
        value: locale,
      })
      expect(answer.text).not.to.include('planted')
      expect(answer.headers['content-security-policy']).to.match(
        /^default-src 'none'; style-src 'sha256-/,
      )
    }
  })

  it('is not there without the option', async () => {
    server = await startConnectors({ clock })
    const answer = await server.browser().get(`${CALLBACK_URL}/accounts/bank/redirect?state=x`)
    expect(answer.status).to.equal(404)
  })
})
