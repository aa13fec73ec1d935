import type { Instance } from '@svc/platform'
import type { BrowserClient, BrowserResponse } from '@svc/testkit'
import { expect } from 'chai'
import { refusalOf } from '../support/refusal.ts'
import {
  ALICE,
  createAlice,
  logIn,
  LOGIN_VALUE,
  startUi,
  type UiServer,
  withAlice,
} from '../support/ui-server.ts'

const JSON_ONLY = { accept: 'application/json' }
const DRIVE = 'https://drive.alice.example.com'
const COOKIE = '__Secure-magic-request'
const SESSION = 'svcsessid'

interface Link {
  readonly url: string
  readonly code: string
}

describe('magic links (login.md 5.3)', () => {
  let server: UiServer
  let instance: Instance
  let browser: BrowserClient
  beforeEach(async () => {
    ;({ server, instance } = await withAlice(startUi()))
    await server.ui.owners.setMagicLink(instance, true)
    browser = server.browser()
  })

  async function askLink(who = browser, fields: Record<string, string> = {}): Promise<Link> {
    expect((await who.post('/auth/magic_link', fields)).status).to.equal(200)
    return lastLink()
  }

  function lastLink(): Link {
    const mail = server.mails.findLast(({ template }) => template === 'magic_link')
    if (mail?.template !== 'magic_link') throw new Error('no link was mailed')
    const { url } = mail.variables
    return { url, code: new URL(url).searchParams.get('code') ?? '' }
  }

  /** Whether the code still opens a session, in a browser of its own. */
  async function isGood(code: string): Promise<boolean> {
    const answer = await server.browser().post('/auth/magic_link/twofactor', {
      magic_code: code,
      passphrase: LOGIN_VALUE,
    })
    return answer.status === 302
  }

  const setTwoFactor = (): Promise<void> =>
    server.ui.owners.setAuthMode(instance, 'two_factor_mail')

  function expectNoSession(answer: BrowserResponse): void {
    expect(answer.setCookie(SESSION)).to.equal(undefined)
  }

  describe('POST /auth/magic_link', () => {
    it('is offered at the login with the target, unless a mail was verified already', async () => {
      const offers = async (query = ''): Promise<boolean> =>
        (await browser.get(`/auth/login${query}`)).text.includes('action="/auth/magic_link"')
      expect(await offers(`?email_verified_code=${'a'.repeat(32)}`)).to.equal(false)
      const page = (await browser.get('/auth/login?redirect=drive')).page()
      expect((await browser.submit(page.form('/auth/magic_link'))).status).to.equal(200)
      expect(lastLink().url).to.include(`&redirect=${encodeURIComponent(`${DRIVE}/`)}`)
      await server.ui.owners.setMagicLink(instance, false)
      expect(await offers()).to.equal(false)
    })

    it('mails a link, marks the browser, and says so', async () => {
      const answer = await browser.post('/auth/magic_link', { redirect: 'drive/a#b' })
      expect(answer.status).to.equal(200)
      expect(answer.contentType).to.equal('text/html')
      expect(answer.headers['cache-control']).to.equal('no-store')
      const { url, code } = lastLink()
      expect(code).to.match(/^[A-Za-z0-9]{32}$/)
      const redirect = encodeURIComponent(`${DRIVE}/a#b`)
      expect(url).to.equal(`${ALICE}/auth/magic_link?code=${code}&redirect=${redirect}`)
      expect(answer.text).not.to.include(code)
      const cookie = answer.setCookie(COOKIE)
      expect(cookie?.attributes).to.deep.equal({
        path: '/auth/magic_link',
        'max-age': '900',
        httponly: true,
        samesite: 'Lax',
        secure: true,
      })
      expectNoSession(answer)
    })

    it('answers JSON to a client that prefers it, and needs no body', async () => {
      const answer = await browser.request('POST', '/auth/magic_link', { headers: JSON_ONLY })
      expect(answer.status).to.equal(200)
      expect(answer.json()).to.deep.equal({ status: 'sent' })
      expect(lastLink().url).to.equal(`${ALICE}/auth/magic_link?code=${lastLink().code}`)
    })

    it('answers 404 while magic links are off', async () => {
      await server.ui.owners.setMagicLink(instance, false)
      const answer = await browser.post('/auth/magic_link', {}, { headers: JSON_ONLY })
      expect(refusalOf(answer)).to.equal('404 magic_link_disabled')
      const page = (await browser.post('/auth/magic_link', { redirect: 'drive' })).page()
      expect(page.links.map(({ href }) => href)).to.include(`${ALICE}/auth/login?redirect=drive`)
      expect(server.mails).to.deep.equal([])
    })

    it('answers 429 from the sixth mail of an hour on, without mail', async () => {
      for (let at = 0; at < 5; at += 1) await askLink()
      const answer = await browser.post('/auth/magic_link', {}, { headers: JSON_ONLY })
      expect(answer.status).to.equal(429)
      expect(Number(answer.headers['retry-after'])).to.be.within(3500, 3600)
      expect(server.mails).to.have.lengthOf(5)
      server.clock.advance(3_600_000)
      await askLink()
    })

    it('answers 503 when the mail cannot be sent, and drops the code', async () => {
      let url = ''
      const failing = await startUi({
        ui: {
          mailer: {
            send: async (_instance, mail) => {
              if (mail.template === 'magic_link') url = mail.variables.url
              throw new Error('no route to host')
            },
          },
        },
      })
      const { instance: alice } = await createAlice(failing)
      await failing.ui.owners.setMagicLink(alice, true)
      const other = failing.browser()
      const answer = await other.post('/auth/magic_link', {}, { headers: JSON_ONLY })
      expect(refusalOf(answer)).to.equal('503 mail_failed')
      expect(answer.setCookies).to.deep.equal([])
      expect((await other.get(url)).status).to.equal(400)
      // A mail that was not sent is none of the five.
      for (let at = 0; at < 6; at += 1) {
        expect((await other.post('/auth/magic_link', {})).status).to.equal(503)
      }
    })
  })

  describe('GET /auth/magic_link', () => {
    it('logs in the browser that asked, once', async () => {
      const { url } = await askLink(browser, { redirect: 'drive/a' })
      const answer = await browser.get(url)
      expect(answer.status).to.equal(302)
      expect(answer.location).to.equal(`${DRIVE}/a`)
      const attributes = answer.setCookie(SESSION)?.attributes
      expect(attributes).to.include({ path: '/', httponly: true, samesite: 'Lax', secure: true })
      expect(attributes).not.to.have.property('max-age')
      const [session] = await server.ui.owners.listSessions(instance)
      expect(session).to.include({ kind: 'normal', method: 'magic_link' })
      const again = await server.browser().get(url)
      expect(again.status).to.equal(400)
      expectNoSession(again)
    })

    it('leads home without a redirect, and takes the code under its other name', async () => {
      const { code } = await askLink()
      const answer = await browser.get(`/auth/magic_link?magic_code=${code}`)
      expect(answer.status).to.equal(302)
      expect(answer.location).to.equal('https://home.alice.example.com/')
    })

    it('opens a short session on the way to an authorization', async () => {
      const { url } = await askLink(browser, { redirect: `${ALICE}/auth/authorize?client_id=x` })
      const answer = await browser.get(url)
      expect(answer.location).to.equal(`${ALICE}/auth/authorize?client_id=x#`)
      expect(answer.setCookie(SESSION)?.attributes['max-age']).to.equal('300')
    })

    it('shows any other browser a button, and uses nothing up', async () => {
      const { url, code } = await askLink(browser, { redirect: 'drive/a' })
      const other = server.browser()
      for (let at = 0; at < 3; at += 1) {
        const answer = await other.get(url)
        expect(answer.status).to.equal(200)
        expect(answer.contentType).to.equal('text/html')
        expectNoSession(answer)
        const form = answer.page().form('/auth/magic_link/open')
        expect(form.value('code')).to.equal(code)
        expect(form.value('redirect')).to.equal(`${DRIVE}/a`)
        expect(form.value('csrf_token')).to.match(/^[A-Za-z0-9_-]{32}$/)
      }
      expect(await isGood(code)).to.equal(true)
    })

    it('opens nothing for a cookie that no browser was given', async () => {
      const { code } = await askLink()
      for (const value of ['', 'a'.repeat(22), code]) {
        const headers = { cookie: `${COOKIE}=${value}; magic-request=${value}` }
        const answer = await server.browser().get(`/auth/magic_link?code=${code}`, { headers })
        expect([answer.status, answer.setCookie(SESSION)]).to.deep.equal([200, undefined])
      }
    })
    const lookers: readonly [who: string, headers: Record<string, string>, mode?: 'cors'][] = [
      ['a prefetch', { 'sec-purpose': 'prefetch' }],
      ['a prerender', { 'sec-purpose': 'prefetch;prerender' }],
      ['an older prefetch', { purpose: 'prefetch' }],
      ['an image', { 'sec-fetch-dest': 'image', 'sec-fetch-mode': 'no-cors' }],
      ['a script', {}, 'cors'],
    ]
    for (const [who, headers, mode] of lookers) {
      it(`opens nothing for ${who}, in whatever browser`, async () => {
        const { url, code } = await askLink()
        const answer = await browser.get(url, { headers, ...(mode && { mode }) })
        expect(answer.status).to.equal(200)
        expectNoSession(answer)
        expect(await isGood(code)).to.equal(true)
      })
    }

    it('uses nothing up for a HEAD, and answers it like a GET', async () => {
      const { url, code } = await askLink(browser, { redirect: 'drive/a' })
      const head = await browser.request('HEAD', url, { mode: 'navigate', from: 'address-bar' })
      expect([head.status, head.location]).to.deep.equal([302, `${DRIVE}/a`])
      expect(head.setCookies).to.deep.equal([])
      expect(head.body).to.have.lengthOf(0)
      expect(await isGood(code)).to.equal(true)
    })

    it('sends a logged-in browser on, and uses nothing up', async () => {
      const { url, code } = await askLink(browser, { redirect: 'drive/a#b' })
      await logIn(browser)
      const answer = await browser.get(url)
      expect(answer.status).to.equal(302)
      expect(answer.location).to.equal(`${DRIVE}/a#`)
      expect(answer.setCookies).to.deep.equal([])
      expect(await isGood(code)).to.equal(true)
    })

    it('asks for the passphrase with the second factor on, in whatever browser', async () => {
      await setTwoFactor()
      const { url, code } = await askLink(browser, { redirect: 'drive/a' })
      const answer = await browser.get(url)
      expect(answer.status).to.equal(200)
      expectNoSession(answer)
      const page = answer.page()
      expect(page.attribute('data-salt')).to.equal('me@alice.example.com')
      expect(page.attribute('data-iterations')).to.equal('50000')
      const form = page.form('/auth/magic_link/twofactor')
      expect(form.value('magic_code')).to.equal(code)
      expect(form.value('redirect')).to.equal(`${DRIVE}/a`)
      expect(form.inputs).to.include('passphrase')
      expect(await isGood(code)).to.equal(true)
    })

    it('answers 400 to a bad redirect before it looks at the code', async () => {
      const { code } = await askLink()
      const redirect = encodeURIComponent('https://evil.com/')
      const answer = await browser.get(`/auth/magic_link?code=${code}&redirect=${redirect}`)
      expect(answer.status).to.equal(400)
      expect(answer.text).not.to.include('https://evil.com')
      expect(await isGood(code)).to.equal(true)
    })

    it('answers 400 to every code that is not good, and leads to a login with the target', async () => {
      const bob = await server.ui.owners.createInstance(
        { domain: 'bob.example.com' },
        'bob has a passphrase',
        { magicLink: true },
      )
      const { code: late } = await askLink()
      server.clock.advance(900_000)
      const foreign = (await server.ui.owners.createMagicLinkCode(bob.instance)).code
      for (const code of ['', 'x', 'a'.repeat(32), '%00', foreign, late]) {
        const answer = await browser.get(`/auth/magic_link?code=${code}&redirect=drive`)
        expect(answer.status, code).to.equal(400)
        expect(answer.contentType).to.equal('text/html')
        expect(answer.text).to.include('/auth/login?redirect=drive"')
        expectNoSession(answer)
        const json = await browser.get(`/auth/magic_link?code=${code}`, { headers: JSON_ONLY })
        expect(refusalOf(json)).to.equal('400 invalid_magic_code')
      }
      const own = server.browser('https://bob.example.com')
      expect((await own.post('/auth/magic_link/open', { code: foreign })).status).to.equal(302)
    })

    it('takes no code while magic links are off', async () => {
      const { url } = await askLink()
      await server.ui.owners.setMagicLink(instance, false)
      expect((await browser.get(url)).status).to.equal(400)
    })

    it('hands the session to a flat app host', async () => {
      const flat = await startUi({ oauth: { subdomains: 'flat' } })
      const { instance: alice } = await createAlice(flat)
      await flat.ui.owners.setMagicLink(alice, true)
      const other = flat.browser()
      const { url } = await flat.ui.owners.createMagicLinkCode(alice)
      const form = (await other.get(`${url}&redirect=drive`)).page().form('/auth/magic_link/open')
      const answer = await other.submit(form)
      expect(answer.location).to.match(
        /^https:\/\/alice-drive\.example\.com\/\?session_code=[A-Za-z0-9]{32}$/,
      )
    })
  })

  describe('POST /auth/magic_link/open', () => {
    it('logs in, once, and answers a double click as success', async () => {
      const { url } = await askLink(browser, { redirect: 'drive/a#b' })
      const other = server.browser()
      const form = (await other.get(url)).page().form('/auth/magic_link/open')
      const answer = await other.submit(form)
      expect([answer.status, answer.location]).to.deep.equal([302, `${DRIVE}/a#b`])
      expect(answer.setCookie(SESSION)).not.to.equal(undefined)
      const second = await other.submit(form)
      expect([second.status, second.location]).to.deep.equal([302, `${DRIVE}/a#b`])
      expectNoSession(second)
      expect(await server.ui.owners.listSessions(instance)).to.have.lengthOf(1)
      expect((await server.browser().submit(form)).status).to.equal(403)
    })

    it('makes a short session a normal one, but only with a good code', async () => {
      await logIn(browser, { redirect: `${ALICE}/auth/authorize?client_id=x` })
      const bad = await browser.post('/auth/magic_link/open', { code: 'x' })
      expect(bad.status).to.equal(302)
      expectNoSession(bad)
      const { code } = await askLink()
      const answer = await browser.post('/auth/magic_link/open', { code })
      expect(answer.setCookie(SESSION)).not.to.equal(undefined)
      const sessions = await server.ui.owners.listSessions(instance)
      expect(sessions.map(({ kind }) => kind)).to.deep.equal(['normal'])
    })

    it('answers 401 to a bad code', async () => {
      for (const code of ['', 'x', 'a'.repeat(32)]) {
        const json = await browser.post('/auth/magic_link/open', { code }, { headers: JSON_ONLY })
        expect(refusalOf(json)).to.equal('401 invalid_magic_code')
        expect((await browser.post('/auth/magic_link/open', { code })).status).to.equal(401)
      }
    })

    it('answers 401 passphrase_required with the second factor on, and uses nothing up', async () => {
      await setTwoFactor()
      const { code } = await askLink()
      const json = await browser.post('/auth/magic_link/open', { code }, { headers: JSON_ONLY })
      expect(refusalOf(json)).to.equal('401 passphrase_required')
      const html = await browser.post('/auth/magic_link/open', { code })
      expect(html.status).to.equal(401)
      expectNoSession(html)
      expect(html.page().form('/auth/magic_link/twofactor').value('magic_code')).to.equal(code)
      expect(await isGood(code)).to.equal(true)
    })

    for (const redirect of ['drive/other', 'settings', 'home']) {
      it(`answers 400 to ${redirect} in place of what the link was asked for`, async () => {
        const { code } = await askLink(browser, { redirect: 'drive/a' })
        const fields = { code, magic_code: code, passphrase: LOGIN_VALUE, redirect }
        for (const path of ['/auth/magic_link/open', '/auth/magic_link/twofactor']) {
          const answer = await browser.post(path, fields, { headers: JSON_ONLY })
          expect([answer.status, answer.json()]).to.deep.equal([
            400,
            { error: 'redirect differs', code: 'invalid_parameter' },
          ])
          expectNoSession(answer)
        }
        const changed = await browser.get(`/auth/magic_link?code=${code}&redirect=${redirect}`)
        expect(changed.status).to.equal(400)
        expectNoSession(changed)
        expect(await isGood(code)).to.equal(true)
      })
    }

    it('leads where the link was asked to lead, named again or not', async () => {
      for (const fields of [{}, { redirect: 'drive/a#b' }, { redirect: `${DRIVE}/a#b` }]) {
        const { code } = await askLink(browser, { redirect: 'drive/a#b' })
        const other = server.browser()
        const opened = await other.post('/auth/magic_link/open', { code, ...fields })
        expect([opened.status, opened.location]).to.deep.equal([302, `${DRIVE}/a#b`])
      }
    })
  })

  describe('POST /auth/magic_link/twofactor', () => {
    const send = (
      magic_code: string,
      passphrase: string,
      headers: Record<string, string> = {},
      who = server.browser(),
    ): Promise<BrowserResponse> =>
      who.post('/auth/magic_link/twofactor', { magic_code, passphrase }, { headers })

    for (const isOn of [true, false]) {
      it(`logs in once with code and passphrase, second factor ${isOn ? 'on' : 'off'}`, async () => {
        if (isOn) await setTwoFactor()
        const { code } = await askLink()
        const answer = await send(code, LOGIN_VALUE)
        expect([answer.status, answer.location]).to.deep.equal([
          302,
          'https://home.alice.example.com/',
        ])
        expect(answer.setCookie(SESSION)).not.to.equal(undefined)
        const [session] = await server.ui.owners.listSessions(instance)
        expect(session).to.include({ kind: 'normal', method: 'magic_link' })
        const again = await send(code, LOGIN_VALUE, JSON_ONLY)
        expect(refusalOf(again)).to.equal('401 invalid_magic_code')
      })
    }

    it('answers 401 to a wrong passphrase, with the form again, and keeps the code', async () => {
      await setTwoFactor()
      const { code } = await askLink()
      const json = await send(code, 'wrong', JSON_ONLY)
      expect(refusalOf(json)).to.equal('401 invalid_passphrase')
      const html = await send(code, '')
      expect(html.status).to.equal(401)
      expectNoSession(html)
      const form = html.page().form('/auth/magic_link/twofactor')
      expect(form.value('magic_code')).to.equal(code)
      expect(form.value('passphrase')).to.equal('')
      expect((await send(code, LOGIN_VALUE)).status).to.equal(302)
    })

    it('ends the code with the fifth wrong passphrase', async () => {
      await setTwoFactor()
      const { code, url } = await askLink()
      for (let at = 0; at < 5; at += 1) {
        expect((await send(code, 'wrong', JSON_ONLY)).json()).to.have.property(
          'code',
          'invalid_passphrase',
        )
      }
      const answer = await send(code, LOGIN_VALUE, JSON_ONLY)
      expect(refusalOf(answer)).to.equal('401 invalid_magic_code')
      expect((await browser.get(url)).status).to.equal(400)
    })

    it('checks the passphrase of a logged-in browser too, and keeps its session and the code', async () => {
      await logIn(browser)
      const { code } = await askLink()
      expect((await send(code, 'wrong', {}, browser)).status).to.equal(401)
      const answer = await send(code, LOGIN_VALUE, {}, browser)
      expect(answer.status).to.equal(302)
      expectNoSession(answer)
      expect(await isGood(code)).to.equal(true)
    })
  })
})
