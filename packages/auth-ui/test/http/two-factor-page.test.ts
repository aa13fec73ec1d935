import type { Instance } from '@svc/platform'
import type { BrowserClient, BrowserResponse } from '@svc/testkit'
import { expect } from 'chai'
import { DEAD_TOKENS, EXPIRED, UNKNOWN_TOKENS } from '../support/dead-tokens.ts'
import {
  enroll,
  JSON_ONLY,
  lastPasscode,
  passStep1,
  passStep2,
  setFactors,
} from '../support/second-step.ts'
import { ALICE, createAlice, startUi, type UiServer } from '../support/ui-server.ts'

describe('the second step in a browser', () => {
  let server: UiServer
  let browser: BrowserClient
  let instance: Instance
  beforeEach(async () => {
    server = await startUi()
    ;({ instance } = await createAlice(server))
    await enroll(server, instance, 'mail', 'totp', 'recovery')
    browser = server.browser()
  })
  afterEach(() => server.close())

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

    it('answers HEAD like GET, with no cookie, and uses nothing up', async () => {
      const token = await passStep1(browser)
      const answer = await browser.request('HEAD', `/auth/twofactor?two_factor_token=${token}`)
      expect(answer.status).to.equal(200)
      expect(answer.setCookies).to.deep.equal([])
      expect((await passStep2(browser, token, lastPasscode(server))).status).to.equal(302)
    })

    it('answers 400 without a token, and for a repeated one', async () => {
      for (const query of ['', '?two_factor_token=', '?two_factor_token=a&two_factor_token=b']) {
        const answer = await browser.get(`/auth/twofactor${query}`, { headers: JSON_ONLY })
        expect(answer.status).to.equal(400)
        expect(answer.json()).to.have.property('code').not.equal('two_factor_expired')
      }
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

    for (const [what, kill] of DEAD_TOKENS) {
      it(`answers 401 to a token that is ${what}, without a mail`, async () => {
        const token = await kill({ server, browser, instance }, await passStep1(browser))
        const before = server.mails.length
        const json = await resend(token, JSON_ONLY)
        expect(json.status).to.equal(401)
        expect(json.json()).to.deep.equal(EXPIRED)
        const page = await resend(token)
        expect(page.status).to.equal(401)
        expect(page.page().links.map(({ href }) => new URL(href).pathname)).to.include(
          '/auth/login',
        )
        expect(server.mails).to.have.lengthOf(before)
      })
    }

    it('answers 401 when the second factor is off', async () => {
      const token = await passStep1(browser, { redirect: 'drive/a' })
      await setFactors(server, instance, {})
      const answer = await resend(token, JSON_ONLY)
      expect(answer.status).to.equal(401)
      expect(answer.json()).to.include({ code: 'two_factor_off' })
      const page = await resend(token)
      expect(page.status).to.equal(401)
      expect(page.page().links.map(({ href }) => href)).to.include(startAgain('drive', '/a'))
    })

    it('answers 429 after 20 challenges in an hour; the old pair lives', async () => {
      let token = await passStep1(browser)
      for (let at = 0; at < 19; at += 1) {
        token = (await resend(token, JSON_ONLY)).json<{ two_factor_token: string }>()
          .two_factor_token
      }
      const json = await resend(token, JSON_ONLY)
      expect(json.status).to.equal(429)
      expect(json.json()).to.include({ code: 'rate_limited' })
      expect(Number(json.headers['retry-after'])).to.be.within(1, 3600)
      const page = await resend(token)
      expect(page.status).to.equal(429)
      expect(page.page().form('/auth/twofactor').value('two-factor-token')).to.equal(token)
      expect(server.mails).to.have.lengthOf(20)
      expect((await passStep2(browser, token, lastPasscode(server))).status).to.equal(302)
    })

    it('answers 503 when the mail cannot be sent, with a way to start again', async () => {
      await server.close()
      let isUp = true
      const send = async (): Promise<void> => {
        if (!isUp) throw new Error('no mail')
      }
      server = await startUi({ ui: { mailer: { send } } })
      ;({ instance } = await createAlice(server))
      await enroll(server, instance, 'mail')
      browser = server.browser()
      const first = await passStep1(browser, { redirect: 'drive' })
      const second = await passStep1(browser, { redirect: 'drive' })
      isUp = false
      const json = await resend(first, JSON_ONLY)
      expect(json.status).to.equal(503)
      expect(json.json()).to.include({ code: 'mail_failed' })
      const page = await resend(second)
      expect(page.status).to.equal(503)
      expect(page.page().links.map(({ href }) => href)).to.include(
        `${ALICE}/auth/login?redirect=${encodeURIComponent('https://drive.alice.example.com/')}`,
      )
    })
  })

  describe('requests that are refused before anything is looked at', () => {
    const refused: readonly [what: string, fields: object, from: string, status: number][] = [
      ['from another origin', {}, 'https://evil.example', 403],
      ['from an app', {}, 'https://drive.alice.example.com', 403],
      ['with a wrong form token', { csrf_token: 'A'.repeat(32) }, ALICE, 403],
      ['with a doubled code', { 'two-factor-passcode': ['1', '2'] }, ALICE, 400],
    ]
    for (const [what, fields, from, status] of refused) {
      it(`answers ${status} ${what}; nothing is counted, mailed or used up`, async () => {
        const token = await passStep1(browser)
        const right = { 'two-factor-token': token, 'two-factor-passcode': lastPasscode(server) }
        for (const path of ['/auth/twofactor', '/auth/twofactor/resend']) {
          for (let at = 0; at < 11; at += 1) {
            const answer = await browser.post(path, { ...right, ...fields }, { from })
            expect(answer.status).to.equal(status)
            expect(answer.setCookie('svcsessid')).to.equal(undefined)
          }
        }
        expect(server.mails).to.have.lengthOf(1)
        expect((await passStep2(browser, token, lastPasscode(server))).status).to.equal(302)
      })
    }
  })

  describe('an instance that is not onboarded', () => {
    for (const [method, path] of [
      ['GET', '/auth/twofactor'],
      ['POST', '/auth/twofactor'],
      ['POST', '/auth/twofactor/resend'],
    ] as const) {
      it(`answers ${method} ${path} with 200 and the page, or 412`, async () => {
        await server.ui.owners.createInstance({ domain: 'soon.example.com' })
        const soon = server.browser('https://soon.example.com')
        const ask = (headers = {}): Promise<BrowserResponse> =>
          method === 'GET' ? soon.get(path, { headers }) : soon.post(path, {}, { headers })
        const page = await ask()
        expect(page.status).to.equal(200)
        expect(page.contentType).to.equal('text/html')
        const json = await ask(JSON_ONLY)
        expect(json.status).to.equal(412)
        expect(json.json()).to.deep.equal({
          error: 'the instance has not been onboarded',
          code: 'onboarding_needed',
        })
      })
    }
  })
})

/** The login with the target of step 1. */
function startAgain(slug: string, path: string): string {
  const target = encodeURIComponent(`https://${slug}.alice.example.com${path}`)
  return `${ALICE}/auth/login?redirect=${target}`
}
