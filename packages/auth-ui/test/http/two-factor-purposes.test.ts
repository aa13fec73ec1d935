import type { Instance } from '@svc/platform'
import type { BrowserClient, BrowserResponse } from '@svc/testkit'
import { expect } from 'chai'
import { DEAD_TOKENS, EXPIRED } from '../support/dead-tokens.ts'
import { enroll, JSON_ONLY, lastPasscode, passStep1, passStep2 } from '../support/second-step.ts'
import { ALICE, createAlice, LOGIN_VALUE, startUi, type UiServer } from '../support/ui-server.ts'

const CONFIRM = { state: 's p&a', redirect: 'drive/a?b=c&code=old#d' }
const CONFIRMED =
  /^https:\/\/drive\.alice\.example\.com\/a\?b=c&state=s%20p%26a&code=([0-9a-f]{32})#d$/

describe('the second step of a confirmation', () => {
  let server: UiServer
  let browser: BrowserClient
  let instance: Instance
  beforeEach(async () => {
    server = await startUi()
    ;({ instance } = await createAlice(server))
    await enroll(server, instance, 'mail')
    browser = server.browser()
  })
  afterEach(() => server.close())

  const confirm = (headers = {}): Promise<BrowserResponse> =>
    browser.post('/auth/confirm', { passphrase: LOGIN_VALUE, ...CONFIRM }, { headers })
  async function tokenOfConfirm(): Promise<string> {
    const answer = await confirm(JSON_ONLY)
    return answer.json<{ two_factor_token: string }>().two_factor_token
  }
  const isGood = async (code: string): Promise<boolean> =>
    (await browser.get(`/auth/confirm/${code}?state=${encodeURIComponent('s p&a')}`)).status === 204

  it('ends as the confirmation without one: 302, with state and code, and no session', async () => {
    const page = await confirm()
    expect(page.status).to.equal(200)
    const form = page.page().form('/auth/twofactor')
    expect(form.inputs).not.to.include('two-factor-generate-trusted-device-token')
    expect(server.mails[0]?.variables).to.include({ purpose: 'confirm' })
    const answer = await browser.submit(form, { 'two-factor-passcode': lastPasscode(server) })
    expect(answer.status).to.equal(302)
    expect(answer.setCookies).to.deep.equal([])
    const [, code = ''] = CONFIRMED.exec(answer.location ?? '') ?? []
    expect(await isGood(code)).to.equal(true)
    expect(await server.ui.owners.listSessions(instance)).to.deep.equal([])
  })

  it('answers 200 {redirect} to a client that prefers JSON, no trusted-device token', async () => {
    const token = await tokenOfConfirm()
    const fields = { 'two-factor-generate-trusted-device-token': '1', 'long-run-session': '1' }
    const answer = await passStep2(browser, token, lastPasscode(server), fields, JSON_ONLY)
    expect(answer.status).to.equal(200)
    expect(answer.json()).to.have.all.keys('redirect')
    expect(answer.json<{ redirect: string }>().redirect).to.match(CONFIRMED)
    expect(answer.setCookies).to.deep.equal([])
  })

  it('takes confirm and state as step 1 had them', async () => {
    const fields = { confirm: 'true', state: CONFIRM.state, redirect: CONFIRM.redirect }
    const answer = await passStep2(browser, await tokenOfConfirm(), lastPasscode(server), fields)
    expect(answer.location).to.match(CONFIRMED)
  })

  const differing: readonly [what: string, fields: Readonly<Record<string, string>>][] = [
    ['another state', { state: 'other' }],
    ['no confirmation', { confirm: 'false' }],
    ['a foreign redirect', { redirect: 'https://evil.com/' }],
    ['another app', { redirect: 'settings/' }],
    ['another page of the app', { redirect: 'drive/b' }],
    ["the instance's own pages", { redirect: `${ALICE}/x` }],
  ]
  for (const [what, fields] of differing) {
    it(`answers 400 to ${what}, and uses nothing up`, async () => {
      const token = await tokenOfConfirm()
      const code = lastPasscode(server)
      expect((await passStep2(browser, token, code, fields)).status).to.equal(400)
      expect((await passStep2(browser, token, code)).location).to.match(CONFIRMED)
    })
  }

  it('leads home, as step 1 said, and nowhere else when that named nothing', async () => {
    const fields = { passphrase: LOGIN_VALUE, state: CONFIRM.state }
    const asked = await browser.post('/auth/confirm', fields, { headers: JSON_ONLY })
    const { two_factor_token: token } = asked.json<{ two_factor_token: string }>()
    const code = lastPasscode(server)
    expect((await passStep2(browser, token, code, { redirect: 'drive/a' })).status).to.equal(400)
    const answer = await passStep2(browser, token, code, { redirect: 'home' })
    expect(answer.location).to.match(/^https:\/\/home\.alice\.example\.com\/\?state=/)
  })

  it('is not repeated for a browser with a session: a used pair confirms nothing more', async () => {
    await passStep2(browser, await passStep1(browser), lastPasscode(server))
    const token = await tokenOfConfirm()
    const code = lastPasscode(server)
    expect((await passStep2(browser, token, code)).status).to.equal(302)
    const again = await passStep2(browser, token, code, {}, JSON_ONLY)
    expect(again.status).to.equal(401)
    expect(again.json()).to.deep.equal(EXPIRED)
  })

  it('leads back to the confirmation when its token is dead', async () => {
    const expire = DEAD_TOKENS.find(([what]) => what === 'expired')?.[1]
    const token = await tokenOfConfirm()
    await expire?.({ server, browser, instance }, token)
    const page = (await passStep2(browser, token, lastPasscode(server))).page()
    const link = page.links.find(({ href }) => href.startsWith(`${ALICE}/auth/confirm?`))
    const form = (await browser.get(link?.href ?? '')).page().form('/auth/confirm')
    expect(form.value('state')).to.equal(CONFIRM.state)
    expect(form.value('redirect')).to.include('https://drive.alice.example.com/a')
  })
})

describe('a pair of the second step, for another purpose', () => {
  let server: UiServer
  let browser: BrowserClient
  beforeEach(async () => {
    server = await startUi()
    const { instance } = await createAlice(server)
    await enroll(server, instance, 'mail')
    browser = server.browser()
  })
  afterEach(() => server.close())

  const askSessionCode = (fields = {}): Promise<BrowserResponse> =>
    browser.postJson('/auth/session_code', { passphrase: LOGIN_VALUE, ...fields })

  it('of a session code is none for the page, is not counted there, and stays good', async () => {
    const { two_factor_token } = (await askSessionCode()).json<{ two_factor_token: string }>()
    const code = lastPasscode(server)
    for (let at = 0; at < 6; at += 1) {
      const answer = await passStep2(browser, two_factor_token, code, {}, JSON_ONLY)
      expect(answer.status).to.equal(401)
      expect(answer.json()).to.deep.equal(EXPIRED)
    }
    const url = `/auth/twofactor?two_factor_token=${two_factor_token}`
    expect((await browser.get(url)).status).to.equal(400)
    const fields = { 'two-factor-token': two_factor_token }
    expect((await browser.post('/auth/twofactor/resend', fields)).status).to.equal(401)
    const pair = { two_factor_token, two_factor_passcode: code }
    expect((await askSessionCode(pair)).status).to.equal(201)
  })

  it('of a login makes no session code, and stays good', async () => {
    const token = await passStep1(browser)
    const code = lastPasscode(server)
    const pair = { two_factor_token: token, two_factor_passcode: code }
    const answer = await askSessionCode(pair)
    expect(answer.status).to.equal(403)
    expect(answer.json()).not.to.have.property('session_code')
    expect((await passStep2(browser, token, code)).status).to.equal(302)
  })
})
