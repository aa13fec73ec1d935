import { type Instance, MINUTE_MS } from '@svc/platform'
import type { BrowserClient, BrowserResponse } from '@svc/testkit'
import { expect } from 'chai'
import { EXPIRED } from '../support/dead-tokens.ts'
import {
  type Enrolled,
  enroll,
  JSON_ONLY,
  lastPasscode,
  passStep1,
  passStep2,
} from '../support/second-step.ts'
import { createAlice, startUi, type UiServer } from '../support/ui-server.ts'

describe('limits of wrong codes (login.md 4.7, security.md 41)', () => {
  let server: UiServer
  let browser: BrowserClient
  let instance: Instance
  let enrolled: Enrolled
  beforeEach(async () => {
    server = await startUi()
    ;({ instance } = await createAlice(server))
    enrolled = await enroll(server, instance, 'mail', 'totp', 'recovery')
    browser = server.browser()
  })
  afterEach(() => server.close())

  const fail = (token: string): Promise<BrowserResponse> =>
    passStep2(browser, token, 'wrong', {}, JSON_ONLY)
  async function failTimes(token: string, times: number): Promise<void> {
    for (let at = 0; at < times; at += 1) {
      expect((await fail(token)).json()).to.include({ code: 'two_factor_invalid' })
    }
  }

  it('takes the right code after four wrong ones, and nothing after five', async () => {
    const token = await passStep1(browser)
    await failTimes(token, 4)
    expect((await passStep2(browser, token, lastPasscode(server))).status).to.equal(302)
    const other = await passStep1(browser.another())
    await failTimes(other, 5)
    for (const code of [lastPasscode(server), enrolled.totp(), enrolled.recoveryCodes[0] ?? '']) {
      const answer = await passStep2(browser.another(), other, code, {}, JSON_ONLY)
      expect(answer.json()).to.deep.equal(EXPIRED)
    }
  })

  it('shows the way to start again with the fifth wrong code', async () => {
    const token = await passStep1(browser, { redirect: 'drive' })
    await failTimes(token, 4)
    const page = await passStep2(browser, token, 'wrong')
    expect(page.status).to.equal(401)
    expect(page.page().forms.map(({ action }) => action)).to.deep.equal([])
    expect(
      page
        .page()
        .links.map(({ href }) => href)
        .join(),
    ).to.include('/auth/login?redirect=')
  })

  it('answers 429 after ten wrong codes of an instance, to a right one too', async () => {
    await failTimes(await passStep1(browser), 5)
    await failTimes(await passStep1(browser), 5)
    const token = await passStep1(browser, { redirect: 'drive' })
    const json = await passStep2(browser, token, lastPasscode(server), {}, JSON_ONLY)
    expect(json.status).to.equal(429)
    expect(json.json()).to.include({ code: 'rate_limited' })
    expect(Number(json.headers['retry-after'])).to.be.within(1, 300)
    expect(json.setCookies).to.deep.equal([])
    const page = await passStep2(browser, token, lastPasscode(server))
    expect(page.status).to.equal(429)
    expect(page.page().form('/auth/twofactor').value('two-factor-token')).to.equal(token)
    expect(page.setCookie('svcsessid')).to.equal(undefined)
    server.clock.advance(5 * MINUTE_MS + 1)
    const fresh = await passStep1(browser)
    expect((await passStep2(browser, fresh, lastPasscode(server))).status).to.equal(302)
  })

  it('does not count what was not compared against the challenge', async () => {
    await failTimes(await passStep1(browser), 5)
    await failTimes(await passStep1(browser), 5)
    const token = await passStep1(browser)
    for (let at = 0; at < 8; at += 1) expect((await fail(token)).status).to.equal(429)
    const url = `/auth/twofactor?two_factor_token=${token}`
    expect((await browser.get(url)).status).to.equal(200)
  })

  it('counts before it compares: parallel guesses cannot pass together', async () => {
    const token = await passStep1(browser)
    const answers = await Promise.all(Array.from({ length: 30 }, () => fail(token)))
    const codes = answers.map((answer) => answer.json<{ code: string }>().code)
    expect(codes.filter((code) => code === 'two_factor_invalid')).to.have.lengthOf(5)
    expect(codes.filter((code) => code === 'two_factor_expired')).to.have.lengthOf(25)
  })

  it('counts nothing for a right code', async () => {
    for (let at = 0; at < 12; at += 1) {
      const other = browser.another()
      const answer = await passStep2(other, await passStep1(other), lastPasscode(server))
      expect(answer.status).to.equal(302)
    }
  })

  it('counts for one instance only', async () => {
    await failTimes(await passStep1(browser), 5)
    await failTimes(await passStep1(browser), 5)
    const { instance: bob } = await createAlice(server, { domain: 'bob.example.com' })
    await enroll(server, bob, 'mail')
    const other = server.browser('https://bob.example.com')
    const answer = await passStep2(other, await passStep1(other), lastPasscode(server))
    expect(answer.status).to.equal(302)
  })
})
