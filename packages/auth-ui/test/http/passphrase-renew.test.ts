import { type Instance, originOfApp } from '@svc/platform'
import type { BrowserClient, BrowserResponse } from '@svc/testkit'
import { expect } from 'chai'
import { refusalOf } from '../support/refusal.ts'
import { deriveLoginValue } from '../../src/index.ts'
import { REFUSED_PASSPHRASES, type RefusedPassphrase } from '../support/refused-passphrases.ts'
import { JSON_ONLY, mailsOf, resetLink } from '../support/reset.ts'
import {
  logIn,
  LOGIN_VALUE,
  PASSPHRASE,
  startUi,
  type UiServer,
  withAlice,
} from '../support/ui-server.ts'

const EMAIL = 'alice@example.org'
/** Of {@link PASSPHRASE} with 650 000 iterations (login.md 3.1). */
const DERIVED = 'uv5OA7us+O5w4DxqyQR0gN1ROKIbRruaqbuumkNzNGY='
const NEW_VALUE = 'bmV3IGxvZ2luIHZhbHVlLCAzMiBieXRlcyBsb25nLi4='
const WRONG_TOKEN = '0'.repeat(32)

describe('a new passphrase by mail (login.md 5.5)', () => {
  let server: UiServer
  let browser: BrowserClient
  let instance: Instance
  let url: string
  let token: string
  beforeEach(async () => {
    ;({ server, instance, browser } = await withAlice(startUi(), { email: EMAIL }))
    url = await resetLink(server, browser)
    token = new URL(url).searchParams.get('token') ?? ''
  })

  /** Posts as the page does, some fields changed. */
  async function renew(
    fields: Readonly<Record<string, string | undefined>> = {},
    headers: Readonly<Record<string, string>> = {},
    from?: string,
  ): Promise<BrowserResponse> {
    return browser.post(
      '/auth/passphrase_renew',
      {
        csrf_token: browser.cookie('__Host-csrf')?.value,
        passphrase_reset_token: token,
        passphrase: NEW_VALUE,
        iterations: '50000',
        ...fields,
      },
      { headers, ...(from === undefined ? {} : { from }) },
    )
  }

  const badTokens: readonly [what: string, token: () => string | undefined][] = [
    ['no token', () => undefined],
    ['an empty token', () => ''],
    ['a wrong token', () => WRONG_TOKEN],
    ['a token that is no hexadecimal', () => 'x'.repeat(32)],
    ['a token in capitals', () => token.toUpperCase().replace(/^[0-9]*$/, 'A'.repeat(32))],
    ['a token cut short', () => token.slice(1)],
    ['a NUL', () => '\0'],
    ['a token of 5000 characters', () => 'a'.repeat(5000)],
  ]

  describe('GET /auth/passphrase_renew', () => {
    it('shows the form for the token, and consumes nothing', async () => {
      for (let at = 0; at < 2; at += 1) {
        const answer = await browser.get(url)
        expect(answer.status).to.equal(200)
        const page = answer.page()
        expect(page.attribute('data-salt')).to.equal('me@alice.example.com')
        const form = page.form('/auth/passphrase_renew')
        expect(form.method).to.equal('POST')
        expect(page.attribute('data-iterations')).to.equal('650000')
        // Empty: what something else than the script sends counts as raw.
        expect(form.value('iterations')).to.equal('')
        expect(form.value('passphrase_reset_token')).to.equal(token)
        expect(form.value('csrf_token')).to.equal(browser.cookie('__Host-csrf')?.value)
        expect(form.value('from')).to.equal('')
        expect(form.inputs).to.include.members(['passphrase', 'hint'])
        expect(answer.setCookie('svcsessid')).to.equal(undefined)
      }
    })

    it('keeps where it came from, when that is the settings', async () => {
      const from = async (value: string): Promise<string | undefined> =>
        (await browser.get(`${url}&from=${value}`))
          .page()
          .form('/auth/passphrase_renew')
          .value('from')
      expect(await from('settings')).to.equal('settings')
      expect(await from('evil.com%2F')).to.equal('')
    })

    it('lets the form end in the settings app (D48)', async () => {
      const answer = await browser.get(`${url}&from=settings`)
      expect(answer.headers['content-security-policy']).to.match(
        /form-action 'self' https:\/\/settings\.alice\.example\.com(;|$)/,
      )
    })

    it('answers the same 400 to every token that is not good', async () => {
      const pages = new Set<string>()
      const bodies = new Set<string>()
      const ask = async (query: string): Promise<void> => {
        const page = await server.browser().get(`/auth/passphrase_renew${query}`)
        expect(page.status, query).to.equal(400)
        expect(page.contentType).to.equal('text/html')
        pages.add(page.text)
        const json = await browser.get(`/auth/passphrase_renew${query}`, { headers: JSON_ONLY })
        expect(json.status, query).to.equal(400)
        bodies.add(json.text)
        server.clock.advance(3_600_001)
      }
      const asked = badTokens.map(([, bad]) => bad())
      for (const bad of asked) {
        await ask(bad === undefined ? '' : `?token=${encodeURIComponent(bad)}`)
      }
      // Expired by now, and nothing is pending any more.
      await ask(`?token=${token}`)
      expect([...bodies]).to.deep.equal(['{"error":"invalid_token"}'])
      expect(pages.size).to.equal(1)
      expect([...pages][0]).to.include('/auth/passphrase_reset')
    })
  })

  describe('word of the new passphrase', () => {
    const SET = 'Your new passphrase is set. Log in with it.'
    const COOKIE = '__Secure-svcrenewed'
    const said = async (who: BrowserClient, path = '/auth/login'): Promise<boolean> =>
      (await who.get(path)).text.includes(SET)

    it('is said on the login page that follows, once', async () => {
      expect(await said(browser)).to.equal(false)
      const { location = '' } = await renew()
      const page = await browser.get(location)
      expect(page.text).to.include(SET)
      expect(page.setCookie(COOKIE)?.attributes).to.include({ 'max-age': '0' })
      expect(await said(browser)).to.equal(false)
    })

    it('is said after the script’s form, too, and on the way from the settings', async () => {
      const answer = await renew({ from: 'settings' }, JSON_ONLY)
      expect(answer.status).to.equal(200)
      expect(answer.setCookie(COOKIE)?.attributes).to.include({
        path: '/auth/login',
        'max-age': '600',
        httponly: true,
        samesite: 'Lax',
        secure: true,
      })
      // The settings have nobody logged in any more, and lead to the login with their own address.
      const back = encodeURIComponent('https://settings.alice.example.com/')
      expect(await said(browser, `/auth/login?redirect=${back}`)).to.equal(true)
    })

    it('stays for GET when the page is only asked for its head', async () => {
      await renew()
      const head = await browser.request('HEAD', '/auth/login')
      expect(head.headers['set-cookie']).to.equal(undefined)
      expect(await said(browser)).to.equal(true)
    })

    it('is not said for a refused form, nor ten minutes later', async () => {
      await renew({ passphrase: '' })
      expect(await said(browser)).to.equal(false)
      await renew()
      server.clock.advance(600_001)
      expect(await said(browser)).to.equal(false)
    })

    it('is not said by a link, nor by a cookie that somebody made up or kept', async () => {
      for (const msg of ['passphrase-renewed', 'renewed', 'passphrase-reset-requested'])
        expect(await said(server.browser(), `/auth/login?msg=${msg}`), msg).to.equal(false)
      const value = (await renew()).setCookie(COOKIE)?.value ?? ''
      for (const made of ['1', 'A'.repeat(54), `${value}A`, value.replace(/^./u, 'B'), '"']) {
        const cookie = `${COOKIE}=${made}`
        const page = await server.browser().get('/auth/login', { headers: { cookie } })
        expect(page.status).to.equal(200)
        expect(page.text.includes(SET), made).to.equal(false)
      }
      // The next passphrase has another key.
      await server.ui.owners.resetPassphrase(instance, 'some other words entirely')
      const page = await server.browser().get('/auth/login', {
        headers: { cookie: `${COOKIE}=${value}` },
      })
      expect(page.text).not.to.include(SET)
    })
  })

  describe('POST /auth/passphrase_renew', () => {
    it('stores the passphrase and leads to the login, without a session', async () => {
      const answer = await renew()
      expect(answer.status).to.equal(302)
      expect(answer.location).to.equal('https://alice.example.com/auth/login')
      expect(answer.setCookie('svcsessid')).to.equal(undefined)
      expect((await logIn(browser.another())).status).to.equal(401)
      expect((await logIn(browser.another(), { passphrase: NEW_VALUE })).status).to.equal(302)
    })

    it('works with the form of the page', async () => {
      const form = (await browser.get(url)).page().form('/auth/passphrase_renew')
      const answer = await browser.submit(form, { passphrase: DERIVED, iterations: '650000' })
      expect(answer.status).to.equal(302)
      expect((await browser.get('/public/prelogin')).json()).to.include({ KdfIterations: 650_000 })
      expect((await logIn(browser.another(), { passphrase: DERIVED })).status).to.equal(302)
    })

    it('leads back to the settings when the link came from there', async () => {
      const answer = await renew({ from: 'settings' })
      expect(answer.location).to.equal(`${originOfApp(instance, 'settings')}/#/profile/email`)
    })

    it('leads nowhere else', async () => {
      for (const from of ['evil.com/', 'drive', 'settings ']) {
        const answer = await renew({ from })
        if (answer.status === 302) {
          expect(answer.location).to.equal('https://alice.example.com/auth/login')
        }
      }
    })

    it('derives a raw passphrase itself (3.1)', async () => {
      expect((await renew({ passphrase: PASSPHRASE, iterations: undefined })).status).to.equal(302)
      const other = browser.another()
      expect((await logIn(other, { passphrase: PASSPHRASE })).status).to.equal(401)
      expect((await logIn(other, { passphrase: DERIVED })).status).to.equal(302)
    })

    it('derives a raw passphrase in its composed form', async () => {
      const typed = 'pâssphräse €'.normalize('NFD')
      expect((await renew({ passphrase: typed, iterations: undefined })).status).to.equal(302)
      const salt = 'me@alice.example.com'
      const passphrase = await deriveLoginValue(typed.normalize('NFC'), salt, 650_000)
      expect((await logIn(browser.another(), { passphrase })).status).to.equal(302)
    })

    it('refuses a hint that is the passphrase in another spelling', async () => {
      const typed = 'pâssphräse €'
      const hint = typed.normalize('NFD')
      const salt = 'me@alice.example.com'
      for (const fields of [
        { passphrase: typed, iterations: undefined },
        { passphrase: await deriveLoginValue(typed, salt, 50_000) },
      ]) {
        const answer = await renew({ ...fields, hint }, JSON_ONLY)
        expect(answer.json()).to.include({ code: 'invalid_hint' })
      }
    })

    it('does not count a value that nobody derived as a guess', async () => {
      for (let at = 0; at < 12; at += 1) {
        expect((await renew({ passphrase: PASSPHRASE }, JSON_ONLY)).status).to.equal(400)
      }
      expect((await renew()).status).to.equal(302)
    })

    it('answers 400 to a used, an expired and a foreign token', async () => {
      await server.ui.owners.createInstance({ domain: 'bob.example.com', email: EMAIL }, 'x')
      const bob = server.browser('https://bob.example.com')
      await bob.get('/auth/passphrase_reset')
      const foreign = await bob.post('/auth/passphrase_renew', {
        csrf_token: bob.cookie('__Host-csrf')?.value,
        passphrase_reset_token: token,
        passphrase: NEW_VALUE,
        iterations: '50000',
      })
      expect(foreign.status).to.equal(400)
      expect((await renew()).status).to.equal(302)
      expect((await renew()).status).to.equal(400)
      url = await resetLink(server, browser)
      token = new URL(url).searchParams.get('token') ?? ''
      server.clock.advance(900_001)
      expect((await renew()).status).to.equal(400)
      expect((await logIn(browser.another(), { passphrase: NEW_VALUE })).status).to.equal(302)
    })

    const refused: readonly RefusedPassphrase[] = [
      ['a hint that is the derived value', { hint: NEW_VALUE }, 400, 'invalid_hint'],
      [
        'a hint that is the passphrase',
        { passphrase: LOGIN_VALUE, hint: PASSPHRASE },
        400,
        'invalid_hint',
      ],
      ...REFUSED_PASSPHRASES,
    ]
    for (const [what, fields, status, code] of refused) {
      it(`answers ${status} ${code} to ${what}, and keeps the token`, async () => {
        const json = await renew(fields, JSON_ONLY)
        expect(refusalOf(json)).to.equal(`${status} ${code}`)
        const html = await renew(fields)
        expect(html.status).to.equal(status)
        expect(html.page().form('/auth/passphrase_renew').value('passphrase')).to.equal('')
        if (fields['passphrase']) expect(html.text).not.to.include(fields['passphrase'])
        expect((await logIn(browser.another())).status).to.equal(302)
        expect((await renew()).status).to.equal(302)
      })
    }

    it('shows the hint again, unless it is the passphrase', async () => {
      const kept = await renew({ iterations: '1', hint: 'the usual one' })
      expect(kept.page().form('/auth/passphrase_renew').value('hint')).to.equal('the usual one')
      const same = await renew({ passphrase: LOGIN_VALUE, hint: PASSPHRASE })
      expect(same.text).not.to.include(PASSPHRASE)
    })

    it('reads nothing from the query', async () => {
      const answer = await browser.post(
        `/auth/passphrase_renew?passphrase_reset_token=${token}&passphrase=x`,
        { csrf_token: browser.cookie('__Host-csrf')?.value },
      )
      expect(answer.status).to.equal(400)
    })

    it('clears the hint that is not sent again', async () => {
      const ask = async (): Promise<number> => {
        await browser.another().post('/auth/hint', {})
        await server.sentMails()
        return mailsOf(server, 'passphrase_hint').length
      }
      await renew({ hint: 'first' })
      expect(await ask()).to.equal(1)
      url = await resetLink(server, browser)
      token = new URL(url).searchParams.get('token') ?? ''
      await renew()
      expect(await ask()).to.equal(1)
    })
  })
})
