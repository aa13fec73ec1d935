import type { Instance } from '@svc/platform'
import type { BrowserClient, BrowserResponse } from '@svc/testkit'
import { expect } from 'chai'
import { DEAD_TOKENS, EXPIRED, UNKNOWN_TOKENS } from '../support/dead-tokens.ts'
import { refusalOf } from '../support/refusal.ts'
import {
  enroll,
  JSON_ONLY,
  lastPasscode,
  passStep1,
  passStep2,
  setFactors,
} from '../support/second-step.ts'
import { ALICE, LOGIN_VALUE, startUi, type UiServer, withAlice } from '../support/ui-server.ts'

const CONFIRM = { state: 's p&a', redirect: 'drive/a?b=c&code=old#d' }
const CONFIRMED =
  /^https:\/\/drive\.alice\.example\.com\/a\?b=c&state=s%20p%26a&code=([0-9a-f]{32})#d$/

describe('the second step in a browser', () => {
  let server: UiServer
  let browser: BrowserClient
  let instance: Instance
  beforeEach(async () => {
    ;({ server, instance, browser } = await withAlice(startUi()))
    await enroll(server, instance, 'mail', 'totp', 'recovery')
  })

  const show = (token: string, headers = {}): Promise<BrowserResponse> =>
    browser.get(`/auth/twofactor?two_factor_token=${token}`, { headers })

  const resend = (token: string, headers = {}): Promise<BrowserResponse> =>
    browser.post('/auth/twofactor/resend', { 'two-factor-token': token }, { headers })

  describe('GET /auth/twofactor', () => {
    it('shows the form, and uses nothing up', async () => {
      const token = await passStep1(browser, { redirect: 'drive' })
      for (let at = 0; at < 3; at += 1) {
        const answer = await show(token)
        expect(answer.status).to.equal(200)
        expect(answer.contentType).to.equal('text/html')
        expect(answer.headers['cache-control']).to.equal('no-store')
        expect(answer.headers['referrer-policy']).to.equal('same-origin')
        expect(answer.setCookies.map(({ name }) => name)).to.deep.equal(['__Host-csrf'])
        const page = answer.page()
        const form = page.form('/auth/twofactor')
        expect(form.value('two-factor-token')).to.equal(token)
        expect(form.value('two-factor-passcode')).to.equal('')
        const field = page
          .elements('input')
          .find(({ attrs }) =>
            attrs.some(({ name, value }) => name === 'name' && value === 'two-factor-passcode'),
          )
        const attributes = Object.fromEntries(
          (field?.attrs ?? []).map(({ name, value }) => [name, value]),
        )
        expect(attributes).to.include({ type: 'text', autocomplete: 'one-time-code' })
        expect(page.form('/auth/twofactor/resend').value('two-factor-token')).to.equal(token)
      }
      const answer = await browser.submit((await show(token)).page().form('/auth/twofactor'), {
        'two-factor-passcode': lastPasscode(server),
      })
      expect(answer.location).to.equal('https://drive.alice.example.com/')
    })

    it('sends a browser that passed it on: the back button after a login', async () => {
      const token = await passStep1(browser, { redirect: 'drive/a' })
      await passStep2(browser, token, lastPasscode(server))
      const answer = await show(token)
      expect(answer.status).to.equal(302)
      expect(answer.location).to.equal('https://drive.alice.example.com/a')
      expect(answer.setCookies).to.deep.equal([])
      expect(await server.ui.owners.listSessions(instance)).to.have.lengthOf(1)
    })

    it('answers 400 without a token, and for a repeated one', async () => {
      for (const query of ['', '?two_factor_token=', '?two_factor_token=a&two_factor_token=b']) {
        const answer = await browser.get(`/auth/twofactor${query}`, { headers: JSON_ONLY })
        expect(answer.status).to.equal(400)
        expect(answer.json()).to.have.property('code').not.equal('two_factor_expired')
      }
    })

    /** Neither with the right code nor to mail another. */
    async function expectNoUse(token: string): Promise<void> {
      const mails = server.mails.length
      const fields = { 'two-factor-token': token, 'two-factor-passcode': lastPasscode(server) }
      for (const path of ['/auth/twofactor', '/auth/twofactor/resend']) {
        const json = await browser.another().post(path, fields, { headers: JSON_ONLY })
        expect([json.status, json.json()]).to.deep.equal([401, EXPIRED])
        const page = await browser.another().post(path, fields)
        expect(page.status).to.equal(401)
        const links = page.page().links.map(({ href }) => new URL(href).pathname)
        expect(links).to.include('/auth/login')
        for (const answer of [json, page]) expect(answer.setCookie('svcsessid')).to.equal(undefined)
      }
      expect(server.mails).to.have.lengthOf(mails)
    }
    it('takes no code without a token', async () => {
      await passStep1(browser)
      await expectNoUse('')
    })
    for (const [what, kill] of DEAD_TOKENS.slice(1)) {
      it(`answers 400 to a token that is ${what}, with one way to start again`, async () => {
        const token = await kill(
          { server, browser, instance },
          await passStep1(browser, { redirect: 'drive/a' }),
        )
        const json = await show(token, JSON_ONLY)
        expect(json.status).to.equal(400)
        expect(json.json()).to.deep.equal(EXPIRED)
        const page = await show(token)
        expect(page.status).to.equal(400)
        const links = page.page().links.filter(({ href }) => href.includes('/auth/login'))
        expect(links).to.have.lengthOf(1)
        const again = await browser.another().get(links[0]?.href ?? '')
        expect(again.status).to.equal(200)
        expect(again.page().form('/auth/login').inputs).to.include('passphrase')
        if (!UNKNOWN_TOKENS.has(what)) {
          const { searchParams } = new URL(links[0]?.href ?? '')
          expect(searchParams.get('redirect')).to.equal('https://drive.alice.example.com/a')
        }
        await expectNoUse(token)
      })
    }
  })

  describe('POST /auth/twofactor', () => {
    it('answers 401 when the second factor is off, with one way to start again', async () => {
      const token = await passStep1(browser, { redirect: 'drive/a' })
      await setFactors(server, instance, {})
      const page = await passStep2(browser, token, lastPasscode(server))
      expect(page.status).to.equal(401)
      expect(page.page().links.map(({ href }) => href)).to.include(startAgain('drive', '/a'))
    })

    it('leads back to the same step when the form token died', async () => {
      const token = await passStep1(browser, { redirect: 'drive/a' })
      for (const path of ['/auth/twofactor', '/auth/twofactor/resend']) {
        const dead = await browser.post(path, { 'two-factor-token': token, csrf_token: 'dead' })
        expect(dead.status).to.equal(403)
        const back = `${ALICE}/auth/twofactor?two_factor_token=${token}`
        expect(dead.page().links.map(({ href }) => href)).to.include(back)
      }
      const form = (await show(token)).page().form('/auth/twofactor')
      const done = await browser.submit(form, { 'two-factor-passcode': lastPasscode(server) })
      expect(done.location).to.equal('https://drive.alice.example.com/a')
    })
  })

  describe('POST /auth/twofactor/resend', () => {
    it('mails another code under another token, and the old pair is dead', async () => {
      const old = await passStep1(browser, { redirect: 'drive', 'long-run-session': '1' })
      const oldCode = lastPasscode(server)
      const answer = await resend(old, JSON_ONLY)
      expect(answer.status).to.equal(200)
      expect(answer.setCookies).to.deep.equal([])
      const { two_factor_token: token, ...rest } = answer.json<Record<string, string>>()
      if (token === undefined) throw new Error('no token')
      expect(token).not.to.equal(old)
      expect(rest).to.deep.equal({ redirect: `${ALICE}/auth/twofactor?two_factor_token=${token}` })
      expect(server.mails).to.have.lengthOf(2)
      expect((await passStep2(browser, old, oldCode, {}, JSON_ONLY)).json()).to.deep.equal(EXPIRED)
      const done = await passStep2(browser, token, lastPasscode(server))
      expect(done.location).to.equal('https://drive.alice.example.com/')
      expect(done.setCookie('svcsessid')?.attributes['max-age']).to.equal('34560000')
    })

    it('shows the form with the new token', async () => {
      const old = await passStep1(browser)
      const page = await resend(old)
      expect(page.status).to.equal(200)
      const form = page.page().form('/auth/twofactor')
      expect(form.value('two-factor-token'))
        .to.match(/^[A-Za-z0-9_-]{96}$/)
        .not.equal(old)
      const fields = { 'two-factor-passcode': lastPasscode(server) }
      expect((await browser.submit(form, fields)).status).to.equal(302)
    })

    it('answers 401 when the second factor is off', async () => {
      const token = await passStep1(browser, { redirect: 'drive/a' })
      await setFactors(server, instance, {})
      const answer = await resend(token, JSON_ONLY)
      expect(refusalOf(answer)).to.equal('401 two_factor_off')
      const page = await resend(token)
      expect(page.status).to.equal(401)
      expect(page.page().links.map(({ href }) => href)).to.include(startAgain('drive', '/a'))
    })

    it('answers 503 when the mail cannot be sent, with a way to start again', async () => {
      let isUp = true
      const send = async (): Promise<void> => {
        if (!isUp) throw new Error('no mail')
      }
      ;({ server, instance, browser } = await withAlice(startUi({ ui: { mailer: { send } } })))
      await enroll(server, instance, 'mail')
      const first = await passStep1(browser, { redirect: 'drive' })
      const second = await passStep1(browser, { redirect: 'drive' })
      isUp = false
      const json = await resend(first, JSON_ONLY)
      expect(refusalOf(json)).to.equal('503 mail_failed')
      const page = await resend(second)
      expect(page.status).to.equal(503)
      expect(page.page().links.map(({ href }) => href)).to.include(
        `${ALICE}/auth/login?redirect=${encodeURIComponent('https://drive.alice.example.com/')}`,
      )
    })
  })

  describe('the second step of a confirmation', () => {
    const confirm = (headers = {}): Promise<BrowserResponse> =>
      browser.post('/auth/confirm', { passphrase: LOGIN_VALUE, ...CONFIRM }, { headers })
    async function tokenOfConfirm(): Promise<string> {
      const answer = await confirm(JSON_ONLY)
      return answer.json<{ two_factor_token: string }>().two_factor_token
    }
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
})

/** The login with the target of step 1. */
function startAgain(slug: string, path: string): string {
  const target = encodeURIComponent(`https://${slug}.alice.example.com${path}`)
  return `${ALICE}/auth/login?redirect=${target}`
}
