import { type Instance, MINUTE_MS } from '@svc/platform'
import type { BrowserClient, BrowserResponse } from '@svc/testkit'
import { expect } from 'chai'
import fc from 'fast-check'
import { EXPIRED } from '../support/dead-tokens.ts'
import { refusalOf } from '../support/refusal.ts'
import {
  enroll,
  type Enrolled,
  JSON_ONLY,
  lastPasscode,
  passStep1,
  passStep2,
} from '../support/second-step.ts'
import { ALICE, createAlice, startUi, type UiServer, withAlice } from '../support/ui-server.ts'

const HOME = 'https://home.alice.example.com/'

describe('POST /auth/twofactor', () => {
  let server: UiServer
  let browser: BrowserClient
  let instance: Instance
  let enrolled: Enrolled
  beforeEach(async () => {
    ;({ server, instance, browser } = await withAlice(startUi()))
    enrolled = await enroll(server, instance, 'mail', 'totp', 'recovery')
  })

  it('answers 302 with a cookie', async () => {
    const answer = await passStep2(browser, await passStep1(browser), lastPasscode(server))
    expect(answer.status).to.equal(302)
    expect(answer.location).to.equal(HOME)
    expect(answer.setCookie('svcsessid')?.attributes).to.deep.equal({
      path: '/',
      domain: 'alice.example.com',
      httponly: true,
      samesite: 'Lax',
      secure: true,
    })
    const [session] = await server.ui.owners.listSessions(instance)
    expect(session).to.include({ kind: 'normal', method: '2FA' })
  })

  it('answers 200 {redirect} with a cookie to a client that prefers JSON', async () => {
    const token = await passStep1(browser, { redirect: 'drive/a#b' })
    const answer = await passStep2(browser, token, lastPasscode(server), {}, JSON_ONLY)
    expect(answer.status).to.equal(200)
    expect(answer.json()).to.deep.equal({ redirect: 'https://drive.alice.example.com/a#b' })
    expect(answer.setCookie('svcsessid')).not.to.equal(undefined)
  })

  const codes: readonly [what: string, code: () => string][] = [
    ['the mailed code', () => lastPasscode(server)],
    ['the mailed code with spaces', () => ` ${lastPasscode(server).replace(/^.../, '$& ')}`],
    ['a code of the authenticator app', () => enrolled.totp()],
    ['a recovery code', () => enrolled.recoveryCodes[4] ?? ''],
    ['a recovery code in capitals', () => enrolled.recoveryCodes[5]?.toUpperCase() ?? ''],
  ]
  for (const [what, code] of codes) {
    it(`takes ${what}, once`, async () => {
      const token = await passStep1(browser)
      const passcode = code()
      expect((await passStep2(browser, token, passcode)).status).to.equal(302)
      expect((await passStep2(browser.another(), token, passcode)).status).to.equal(401)
      const other = browser.another()
      const next = await passStep1(other)
      expect((await passStep2(other, next, passcode, {}, JSON_ONLY)).json()).to.deep.equal({
        error: 'wrong code',
        code: 'two_factor_invalid',
      })
    })
  }

  it('tells the owner of a used recovery code, and how many are left', async () => {
    const [code = ''] = enrolled.recoveryCodes
    await passStep2(browser, await passStep1(browser), code)
    const mails = await server.sentMails()
    const mail = mails.find(({ template }) => template === 'auth_mode_changed')
    expect(mail?.variables).to.include({
      change: 'recovery_code_used',
      factor: 'recovery',
      left: 9,
      url: 'https://settings.alice.example.com/#/security',
    })
    expect(server.logged.map(([event]) => event)).to.include('recovery_code.used')
    expect(JSON.stringify(server.logged)).not.to.include(code)
  })

  const factorsOff: readonly [what: string, code: () => string, left: 'mail' | 'totp'][] = [
    ['mailed code once mail is off', () => lastPasscode(server), 'totp'],
    ['code of an app that was removed', () => enrolled.totp(), 'mail'],
    ['recovery code that was replaced', () => enrolled.recoveryCodes[0] ?? '', 'mail'],
  ]
  for (const [what, code, left] of factorsOff) {
    it(`refuses a ${what}`, async () => {
      const token = await passStep1(browser)
      const passcode = code()
      await enroll(server, instance, left, 'recovery')
      expect((await passStep2(browser, token, passcode)).status).to.equal(401)
    })
  }

  const wrong: readonly [what: string, fields: Readonly<Record<string, string>>][] = [
    ['no code', {}],
    ['an empty code', { 'two-factor-passcode': '' }],
    ['an array', { 'two-factor-passcode[]': '123456' }],
    ['five digits', { 'two-factor-passcode': '12345' }],
    ['letters', { 'two-factor-passcode': 'abcdef' }],
    ['a malformed assertion', { 'two-factor-assertion': '{"id":' }],
    ['an assertion of nobody', { 'two-factor-assertion': '{"id":"x","type":"public-key"}' }],
  ]
  for (const [what, fields] of wrong) {
    it(`answers 401 to ${what}, and shows the same form`, async () => {
      const token = await passStep1(browser)
      const form = { 'two-factor-token': token, ...fields }
      const json = await browser.post('/auth/twofactor', form, { headers: JSON_ONLY })
      expect(refusalOf(json)).to.equal('401 two_factor_invalid')
      expect(json.headers['www-authenticate']).to.equal(undefined)
      expect(json.setCookies).to.deep.equal([])
      const page = await browser.post('/auth/twofactor', form)
      expect(page.status).to.equal(401)
      expect(page.page().form('/auth/twofactor').value('two-factor-token')).to.equal(token)
      expect(page.setCookie('svcsessid')).to.equal(undefined)
    })
  }

  it('answers a doubled click with the session of the first one as success', async () => {
    const token = await passStep1(browser, { redirect: 'drive' })
    const code = lastPasscode(server)
    await passStep2(browser, token, code)
    const again = await passStep2(browser, token, code)
    expect(again.status).to.equal(302)
    expect(again.location).to.equal('https://drive.alice.example.com/')
    expect(again.setCookies).to.deep.equal([])
    const json = await passStep2(browser, token, code, {}, JSON_ONLY)
    expect(json.json()).to.deep.equal({ redirect: 'https://drive.alice.example.com/' })
    expect(await server.ui.owners.listSessions(instance)).to.have.lengthOf(1)
  })

  const same: readonly [one: string, two: string, location: string][] = [
    ['drive/b?c#d', 'drive/b?c#d', 'https://drive.alice.example.com/b?c#d'],
    ['drive/b', 'https://drive.alice.example.com/b', 'https://drive.alice.example.com/b'],
    ['', HOME, HOME],
    ['', 'drive', 'https://drive.alice.example.com/'],
  ]
  for (const [one, two, location] of same) {
    it(`leads to ${location} when step 1 was given "${one}" and step 2 "${two}"`, async () => {
      const token = await passStep1(browser, { redirect: one })
      const answer = await passStep2(browser, token, lastPasscode(server), { redirect: two })
      expect(answer.location).to.equal(location)
    })
  }

  for (const redirect of ['drive/other', 'settings', HOME, `${ALICE}/auth/authorize?client_id=x`]) {
    it(`answers 400 to ${redirect} in place of the redirect of step 1, and counts nothing`, async () => {
      const token = await passStep1(browser, { redirect: 'drive/a' })
      for (let at = 0; at < 12; at += 1) {
        const answer = await passStep2(browser, token, 'wrong', { redirect }, JSON_ONLY)
        expect(refusalOf(answer)).to.equal('400 invalid_parameter')
      }
      const answer = await passStep2(browser, token, lastPasscode(server))
      expect(answer.location).to.equal('https://drive.alice.example.com/a')
      // A doubled click leads nowhere else either.
      const again = await passStep2(browser, token, lastPasscode(server), { redirect })
      expect(again.status).to.equal(400)
    })
  }

  const differing: readonly [what: string, fields: Readonly<Record<string, string>>][] = [
    ['a foreign redirect', { redirect: 'https://evil.com/' }],
    ['an unknown app', { redirect: 'unknown' }],
    ['confirm', { confirm: 'true' }],
    ['a state', { state: 'x' }],
    ['a client', { client_id: 'x' }],
  ]
  for (const [what, fields] of differing) {
    it(`answers 400 to ${what} that step 1 did not have, and counts nothing`, async () => {
      const token = await passStep1(browser)
      for (let at = 0; at < 12; at += 1) {
        expect((await passStep2(browser, token, 'wrong', fields, JSON_ONLY)).status).to.equal(400)
      }
      expect((await passStep2(browser, token, lastPasscode(server))).status).to.equal(302)
    })
  }

  it('leads home when the app of step 1 is gone', async () => {
    let isThere = true
    const manifest = { slug: 'drive', name: 'drive', permissions: {}, routes: {} }
    const installed = async (_instance: Instance, slug: string) =>
      isThere || slug === 'home' ? { ...manifest, slug } : undefined
    const apps = { installed, listInstalled: async () => [], available: async () => undefined }
    ;({ server, instance, browser } = await withAlice(startUi({ oauth: { apps } })))
    await enroll(server, instance, 'mail')
    const token = await passStep1(browser, { redirect: 'drive' })
    isThere = false
    expect((await passStep2(browser, token, lastPasscode(server))).location).to.equal(HOME)
  })

  const kinds: readonly [what: string, one: object, two: object, kind: string, age?: string][] = [
    ['nothing', {}, {}, 'normal'],
    ['stay connected in step 1', { 'long-run-session': 'on' }, {}, 'long', '34560000'],
    ['stay connected in step 2', {}, { 'long-run-session': 'true' }, 'long', '34560000'],
    [
      'not to stay in step 2',
      { 'long-run-session': '1' },
      { 'long-run-session': 'false' },
      'normal',
    ],
    ['an authorization', { redirect: `${ALICE}/auth/authorize?client_id=x` }, {}, 'short', '300'],
  ]
  for (const [what, one, two, kind, age] of kinds) {
    it(`opens a ${kind} session when asked for ${what}`, async () => {
      const token = await passStep1(browser, { ...one })
      const answer = await passStep2(browser, token, lastPasscode(server), { ...two })
      expect(answer.setCookie('svcsessid')?.attributes['max-age']).to.equal(age)
      const [session] = await server.ui.owners.listSessions(instance)
      expect(session?.kind).to.equal(kind)
    })
  }

  const trust: readonly [what: string, one: object, headers: object, isMade: boolean][] = [
    ['an answer to a script', {}, JSON_ONLY, true],
    ['a plain form, which could not keep it', {}, {}, false],
    ['an authorization', { redirect: `${ALICE}/auth/authorize?client_id=x` }, JSON_ONLY, false],
  ]
  for (const [what, one, headers, isMade] of trust) {
    it(`makes ${isMade ? 'a' : 'no'} trusted-device token for ${what}`, async () => {
      const token = await passStep1(browser, { ...one })
      const asked = { 'two-factor-generate-trusted-device-token': 'true' }
      const answer = await passStep2(browser, token, lastPasscode(server), asked, { ...headers })
      expect(answer.text.includes('two_factor_trusted_device_token')).to.equal(isMade)
    })
  }

  it('reads the code from the body only', async () => {
    const token = await passStep1(browser)
    const query = `two-factor-token=${token}&two-factor-passcode=${lastPasscode(server)}`
    expect((await browser.post(`/auth/twofactor?${query}`, {})).status).to.equal(401)
    expect((await browser.get(`/auth/twofactor?${query}`)).status).to.equal(400)
  })

  it('never answers 500', async () => {
    const token = await passStep1(browser)
    const text = fc.string({ unit: 'binary', maxLength: 120 })
    const names = ['two-factor-passcode', 'two-factor-assertion', 'redirect', 'state', 'confirm']
    const field = fc.tuple(fc.constantFrom(...names, 'two-factor-token'), text)
    const property = fc.asyncProperty(fc.array(field, { maxLength: 4 }), async (fields) => {
      const form: [string, string][] = [['two-factor-token', token], ...fields]
      const answer = await browser.post('/auth/twofactor', form)
      expect(answer.status).to.be.oneOf([400, 401, 429])
      expect(answer.setCookie('svcsessid')).to.equal(undefined)
    })
    await fc.assert(property, { numRuns: 60 })
  })

  describe('limits of wrong codes (login.md 4.7, security.md 41)', () => {
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
      expect(refusalOf(json)).to.equal('429 rate_limited')
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
})
