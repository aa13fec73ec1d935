import { MINUTE_MS } from '@svc/platform'
import type { BrowserClient, BrowserResponse } from '@svc/testkit'
import { expect } from 'chai'
import { refusalOf } from '../support/refusal.ts'
import { ALICE, logIn, startUi, type UiServer, withAlice } from '../support/ui-server.ts'

describe('limits of wrong passphrases (login.md 4.7, D15)', () => {
  let server: UiServer
  beforeEach(async () => {
    ;({ server } = await withAlice(startUi({ oauth: { trustProxy: 1 } })))
  })

  const from = (address: string): BrowserClient =>
    server.browser(ALICE, { 'x-forwarded-for': address })
  const fail = (browser: BrowserClient): Promise<BrowserResponse> =>
    logIn(browser, { passphrase: 'wrong' }, { accept: 'application/json' })

  async function failTimes(browser: BrowserClient, times: number): Promise<void> {
    for (let at = 0; at < times; at += 1) expect((await fail(browser)).status).to.equal(401)
  }

  it('answers 429 from the 21st failure of an address on, to a right passphrase too', async () => {
    const browser = from('192.0.2.1')
    await failTimes(browser, 20)
    const answer = await fail(browser)
    expect(refusalOf(answer)).to.equal('429 rate_limited')
    expect(Number(answer.headers['retry-after'])).to.be.within(1, 900)
    const page = await logIn(browser, { redirect: 'drive' })
    expect(page.status).to.equal(429)
    expect(page.setCookie('svcsessid')).to.equal(undefined)
    expect(page.page().form('/auth/login').value('redirect')).to.include('drive')
    expect((await logIn(from('192.0.2.2'))).status).to.equal(302)
    server.clock.advance(15 * MINUTE_MS + 1)
    expect((await logIn(browser)).status).to.equal(302)
  })

  it('counts an IPv6 network as one address, and a mapped one as IPv4', async () => {
    await failTimes(from('2001:db8::1'), 10)
    await failTimes(from('2001:db8:0:0:ffff::2'), 10)
    expect((await fail(from('2001:db8::3'))).status).to.equal(429)
    expect((await fail(from('2001:db8:0:1::3'))).status).to.equal(401)
    await failTimes(from('::ffff:192.0.2.9'), 20)
    expect((await fail(from('192.0.2.9'))).status).to.equal(429)
  })

  it('lets a success clear the failures of its address', async () => {
    const browser = from('192.0.2.1')
    await failTimes(browser, 20)
    // Refused ones are not checked; the window is emptied by waiting, then by a success.
    server.clock.advance(15 * MINUTE_MS + 1)
    await failTimes(browser, 19)
    expect((await logIn(browser.another())).status).to.equal(302)
    await failTimes(browser, 20)
    expect((await fail(browser)).status).to.equal(429)
  })

  it('answers 429 after 100 failures of an instance in an hour, and mails the owner once', async () => {
    for (let network = 0; network < 10; network += 1) {
      await failTimes(from(`192.0.2.${network}`), 10)
    }
    const stranger = from('198.51.100.1')
    expect((await fail(stranger)).status).to.equal(429)
    expect((await logIn(stranger)).status).to.equal(429)
    const mails = await server.sentMails()
    expect(mails.map(({ template }) => template)).to.deep.equal(['login_throttled'])
    server.clock.advance(60 * MINUTE_MS + 1)
    expect((await logIn(stranger)).status).to.equal(302)
  })

  it("never locks the owner's known browser out", async () => {
    const known = from('192.0.2.77')
    expect((await logIn(known)).status).to.equal(302)
    for (let network = 0; network < 10; network += 1) {
      await failTimes(from(`192.0.2.${network}`), 10)
    }
    // Nor by failures from its own address.
    expect((await fail(from('192.0.2.77'))).status).to.equal(429)
    expect((await logIn(known)).status).to.equal(302)
    // It has a limit of its own.
    await failTimes(known, 10)
    expect((await fail(known)).status).to.equal(429)
    expect((await logIn(known)).status).to.equal(429)
    server.clock.advance(15 * MINUTE_MS + 1)
    expect((await logIn(known)).status).to.equal(302)
  })

  it('takes no invented known-device cookie', async () => {
    const browser = from('192.0.2.1')
    browser.plantCookie(`__Secure-svcknown=${'A'.repeat(22)}; Path=/auth; Secure`)
    await failTimes(browser, 20)
    expect((await fail(browser)).status).to.equal(429)
  })

  it('sets the known-device cookie at each login, for the paths under /auth only', async () => {
    const browser = from('192.0.2.1')
    const cookie = (await logIn(browser)).setCookie('__Secure-svcknown')
    expect(cookie?.attributes).to.deep.equal({
      path: '/auth',
      'max-age': '15552000',
      httponly: true,
      samesite: 'Lax',
      secure: true,
    })
    server.clock.advance(31 * 24 * 60 * MINUTE_MS)
    expect((await logIn(browser)).setCookie('__Secure-svcknown')?.value).to.equal(cookie?.value)
  })

  it('reserves before it checks: parallel guesses cannot pass together', async () => {
    const browser = from('192.0.2.1')
    const answers = await Promise.all(Array.from({ length: 36 }, () => fail(browser)))
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 401)).to.have.lengthOf(20)
    expect(statuses.filter((status) => status === 429)).to.have.lengthOf(16)
  })

  it('does not count what it could not check', async function () {
    this.timeout(30_000)
    const busy = await startUi({
      ui: { passphrase: { threadPoolSize: 1, waiting: 0, cost: { logN: 15, r: 8, p: 3 } } },
    })
    await busy.ui.owners.createInstance({ domain: 'alice.example.com' }, 'x')
    const browser = busy.browser()
    const answers = await Promise.all(Array.from({ length: 12 }, () => fail(browser)))
    const refused = answers.filter(({ status }) => status === 503)
    const checked = answers.filter(({ status }) => status === 401)
    expect(refused.length).to.be.greaterThan(0)
    expect(refused.length + checked.length).to.equal(12)
    expect(refused[0]?.headers['retry-after']).to.equal('1')
    expect(refused[0]?.json()).to.include({ code: 'busy' })
    await failTimes(browser, 20 - checked.length)
    expect((await fail(browser)).status).to.equal(429)
  })
})
