import type { Instance } from '@svc/platform'
import { sqliteStore } from '@svc/store/sqlite'
import { type BrowserClient, relyingParty } from '@svc/testkit'
import { expect } from 'chai'
import fc from 'fast-check'
import { JSON_ONLY, mailsOf, resetLink } from '../support/reset.ts'
import { appToken, ask, startWithSettings } from '../support/settings-server.ts'
import { ALICE, createAlice, LOGIN_VALUE, logIn, type UiServer } from '../support/ui-server.ts'

const NEW_VALUE = 'bmV3IGxvZ2luIHZhbHVlLCAzMiBieXRlcyBsb25nLi4='
const EMAIL = 'alice@example.org'
const CHANGE = { current_passphrase: LOGIN_VALUE, new_passphrase: NEW_VALUE, iterations: 50_000 }

const MANY = { limit: 100_000, windowMs: 1000 }

/** Texts that programs stumble over. */
const NASTY = [
  '',
  ' ',
  '\0',
  '\r\nSet-Cookie: a=b',
  '__proto__',
  'constructor',
  'toString',
  '%00',
  '%ff',
  '../..',
  '<script>',
  '{{7*7}}',
  '\u202e',
  '\ufeff',
  '😀',
  'é'.repeat(600),
]

describe('the passphrase and strangers (login.md 10)', () => {
  let server: UiServer
  let instance: Instance
  beforeEach(async () => {
    server = await startWithSettings({
      // High enough that what is sent is judged, and not only counted.
      ui: { limits: { auth: MANY, 'auth-ip': MANY, 'reset-guess': MANY } },
    })
    ;({ instance } = await createAlice(server, { email: EMAIL }))
  })
  afterEach(() => server.close())

  it('answers no malformed form with 5xx', async () => {
    const browser = server.browser()
    const url = await resetLink(server, browser)
    const csrf_token = browser.cookie('__Host-csrf')?.value ?? ''
    const names = ['passphrase', 'hint', 'iterations', 'key', 'public_key', 'from', 'redirect']
    const text = fc.oneof(fc.constantFrom(...NASTY), fc.string({ unit: 'binary', maxLength: 80 }))
    const form = fc.dictionary(
      fc.constantFrom(...names, 'passphrase_reset_token', 'csrf_token', '__proto__', 'a[b]'),
      text.map((value) => value.toWellFormed()),
    )
    const paths = ['hint', 'onboarding/resend', 'passphrase_renew', 'passphrase_reset']
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...paths),
        form,
        fc.boolean(),
        async (path, fields, isOurs) => {
          const pairs: [string, string][] = Object.entries({
            ...fields,
            ...(isOurs ? { csrf_token } : {}),
          })
          const answer = await browser.post(`/auth/${path}`, pairs)
          expect(answer.status).to.be.below(500)
          expect(answer.setCookie('svcsessid')).to.equal(undefined)
          expect(answer.location ?? ALICE).to.match(/^https:\/\/alice\.example\.com(\/|$)/)
        },
      ),
      { numRuns: 150 },
    )
    expect((await browser.get(url)).status).to.equal(200)
  })

  it('answers no malformed JSON with 5xx, and takes none of it for a passphrase', async () => {
    const browser = server.browser()
    await logIn(browser)
    const token = await appToken(browser)
    const value = fc.oneof(fc.constantFrom<unknown>(...NASTY), fc.jsonValue(), fc.string())
    const names = [
      'current_passphrase',
      'new_passphrase',
      'iterations',
      'key',
      'publicKey',
      'force',
      'two_factor_token',
      'two_factor_passcode',
      'hint',
      'passphrase',
      '__proto__',
    ]
    const body = fc.dictionary(fc.constantFrom(...names), value)
    const requests = fc.constantFrom<readonly [string, string]>(
      ['PUT', '/settings/passphrase'],
      ['POST', '/settings/passphrase/check'],
    )
    await fc.assert(
      fc.asyncProperty(requests, body, async ([method, path], json) => {
        const answer = await ask(browser, method, path, json, { token })
        expect(answer.status).to.be.oneOf([400, 403, 422, 429])
      }),
      { numRuns: 150 },
    )
    server.clock.advance(3_600_001)
    expect((await logIn(server.browser())).status).to.equal(302)
  })

  it('refuses a field that is given twice', async () => {
    const browser = server.browser()
    const url = await resetLink(server, browser)
    const csrf_token = browser.cookie('__Host-csrf')?.value ?? ''
    const answer = await browser.post('/auth/passphrase_renew', [
      ['csrf_token', csrf_token],
      ['passphrase_reset_token', new URL(url).searchParams.get('token') ?? ''],
      ['passphrase', NEW_VALUE],
      ['passphrase', 'another'],
      ['iterations', '50000'],
    ])
    expect(answer.status).to.equal(400)
    expect((await browser.get(url)).status).to.equal(200)
  })

  it('does not adopt a csrf token that a stranger planted', async () => {
    const planted = 'x'.repeat(32)
    const browser = server.browser()
    browser.plantCookie(`__Host-csrf=${planted}; Path=/; Secure`)
    const form = (await browser.get('/auth/passphrase_reset')).page().form('/auth/passphrase_reset')
    expect(form.value('csrf_token')).not.to.equal(planted)
  })

  it('keeps the owner able to reset while strangers guess', async () => {
    await server.close()
    server = await startWithSettings({ oauth: { trustProxy: 1 } })
    await createAlice(server, { email: EMAIL })
    const from = (address: string): Record<string, string> => ({ 'x-forwarded-for': address })
    const stranger = server.browser(ALICE, from('203.0.113.9'))
    const owner = server.browser(ALICE, from('198.51.100.7'))
    const url = await resetLink(server, owner)
    for (let at = 0; at < 10; at += 1) {
      expect((await stranger.get('/auth/passphrase_renew?token=0')).status).to.equal(400)
    }
    expect((await stranger.get('/auth/passphrase_renew?token=0')).status).to.equal(429)
    expect((await owner.get(url)).status).to.equal(200)
  })

  it('lets the owner in after a reset, while strangers go on guessing the passphrase', async () => {
    await server.close()
    server = await startWithSettings({ oauth: { trustProxy: 1 } })
    await createAlice(server, { email: EMAIL })
    const at = (address: string): BrowserClient =>
      server.browser(ALICE, { 'x-forwarded-for': address })
    for (let network = 0; network < 10; network += 1) {
      for (let time = 0; time < 10; time += 1) {
        await logIn(at(`203.0.113.${network}`), { passphrase: 'wrong' })
      }
    }
    const owner = at('198.51.100.7')
    expect((await logIn(owner)).status).to.equal(429)
    const form = (await owner.get(await resetLink(server, owner))).page()
    const passphrase = 'YW5vdGhlciBsb2dpbiB2YWx1ZSBvZiAzMiBieXRlcy4='
    const renewed = await owner.submit(form.form('/auth/passphrase_renew'), {
      passphrase,
      iterations: '50000',
    })
    expect(renewed.status).to.equal(302)
    expect(renewed.setCookies.map(({ name }) => name)).to.deep.equal([
      '__Secure-svcknown',
      '__Secure-svcrenewed',
    ])
    expect((await logIn(owner, { passphrase })).status).to.equal(302)
    expect((await logIn(at('198.51.100.7'), { passphrase })).status).to.equal(429)
  })

  it('names no host but its own in the mailed link, whatever the request says', async () => {
    const browser = server.browser(ALICE, {
      'x-forwarded-host': 'evil.example',
      forwarded: 'host=evil.example',
    })
    expect(await resetLink(server, browser)).to.match(/^https:\/\/alice\.example\.com\//)
  })

  it('takes no reset token in place of an onboarding token, nor the other way round', async () => {
    const { onboardingUrl = '' } = await server.ui.owners.createInstance({
      domain: 'bob.example.com',
      email: EMAIL,
    })
    const registerToken = new URL(onboardingUrl).searchParams.get('registerToken') ?? ''
    const bob = server.browser('https://bob.example.com')
    const renew = await bob.get(`/auth/passphrase_renew?token=${registerToken}`)
    expect(renew.status).to.equal(400)
    const reset = new URL(await resetLink(server, server.browser())).searchParams.get('token') ?? ''
    const fields = { register_token: reset, passphrase: NEW_VALUE, iterations: '50000' }
    expect(
      (await bob.post('/settings/passphrase', fields, { headers: JSON_ONLY })).status,
    ).to.equal(400)
    expect((await bob.get(onboardingUrl)).status).to.equal(200)
  })

  it('consumes nothing on HEAD', async () => {
    const browser = server.browser()
    const url = await resetLink(server, browser)
    for (const path of [url, '/auth/passphrase_reset']) {
      const answer = await browser.another().request('HEAD', path)
      expect(answer.status).to.equal(200)
      expect(answer.setCookies).to.deep.equal([])
      expect(answer.text).to.equal('')
    }
    expect((await browser.get(url)).status).to.equal(200)
  })

  it('answers other methods with 405', async () => {
    const rows: readonly [method: string, path: string, allow: string][] = [
      ['PUT', '/auth/passphrase_reset', 'GET, HEAD, POST'],
      ['DELETE', '/auth/passphrase_renew', 'GET, HEAD, POST'],
      ['GET', '/auth/hint', 'POST'],
      ['GET', '/auth/onboarding/resend', 'POST'],
      ['GET', '/settings/passphrase/check', 'POST'],
    ]
    for (const [method, path, allow] of rows) {
      const answer = await server.browser().request(method, path)
      expect(answer.status, path).to.equal(405)
      expect(answer.headers['allow'], path).to.equal(allow)
    }
  })

  it('gives a client with the permission no session, and keeps its own token', async () => {
    const browser = server.browser()
    await logIn(browser)
    const party = relyingParty({ issuer: ALICE, port: server.port })
    await party.register()
    const pending = await party.authorize({ scope: 'io.svc.settings' })
    const consent = await browser.get(pending.url)
    const allowed = await browser.submit(consent.page().form('/auth/authorize'))
    const { access_token } = await party.exchange(allowed.location ?? '', pending)
    const headers = {
      authorization: `Bearer ${access_token}`,
      'content-type': 'application/json',
    }
    const body = JSON.stringify(CHANGE)
    const answer = await server.browser().request('PUT', '/settings/passphrase', { headers, body })
    expect(answer.status).to.equal(204)
    expect(answer.headers['set-cookie']).to.equal(undefined)
    expect(await server.ui.owners.listSessions(instance)).to.deep.equal([])
    const read = await server.browser().get('/settings/passphrase', { headers })
    expect(read.status).to.equal(200)
  })

  it('writes no passphrase, hint or token into a log, an answer or a mail', async () => {
    const browser = server.browser()
    await logIn(browser)
    const hint = 'the name of my first cat'
    const answers = [
      await ask(browser, 'PUT', '/settings/hint', { hint }),
      await ask(browser, 'GET', '/settings/hint'),
      await ask(browser, 'PUT', '/settings/passphrase', {
        ...CHANGE,
        current_passphrase: 'wrong!',
      }),
      await ask(browser, 'PUT', '/settings/passphrase', CHANGE),
      await ask(browser, 'POST', '/settings/passphrase/check', { passphrase: NEW_VALUE }),
    ]
    const url = await resetLink(server, browser)
    const token = new URL(url).searchParams.get('token') ?? ''
    await server.sentMails()
    const mails = JSON.stringify(server.mails)
    const seen = JSON.stringify([
      server.logged,
      answers.map(({ headers, text }) => [headers, text]),
    ])
    for (const secret of [LOGIN_VALUE, NEW_VALUE, 'wrong!', hint, token]) {
      expect(seen, secret).not.to.include(secret)
      if (secret !== token) expect(mails, secret).not.to.include(secret)
    }
    expect(mailsOf(server, 'passphrase_changed')).to.have.lengthOf(1)
  })

  it('says that the passphrase changed also when the news of it and the mail fail', async () => {
    await server.close()
    const store = sqliteStore({ file: ':memory:' })
    let isDown = false
    const bus = new Proxy(store.bus, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name, target)
        if (typeof member !== 'function') return member
        return name === 'publish' && isDown ? failing : member.bind(target)
      },
    })
    const failing = (): Promise<void> => Promise.reject(new Error('down'))
    const shaky = new Proxy(store, {
      get: (target, name) => {
        if (name === 'bus') return bus
        const member: unknown = Reflect.get(target, name, target)
        return typeof member === 'function' ? member.bind(target) : member
      },
    })
    server = await startWithSettings({ store: shaky, ui: { mailer: { send: failing } } })
    ;({ instance } = await createAlice(server, { email: EMAIL }))
    const browser = server.browser()
    await logIn(browser)
    const token = await appToken(browser)
    isDown = true
    const answer = await ask(browser, 'PUT', '/settings/passphrase', CHANGE, { token })
    isDown = false
    expect(answer.status).to.equal(204)
    await server.sentMails()
    expect(await server.ui.owners.listSessions(instance)).to.have.lengthOf(1)
    expect((await logIn(server.browser(), { passphrase: NEW_VALUE })).status).to.equal(302)
    expect(server.logged.map(([event]) => event)).to.include('passphrase.key_untold')
    await store.close()
  })

  describe('on flat subdomains', () => {
    it('leads the app to the new session of its browser', async () => {
      await server.close()
      server = await startWithSettings({ oauth: { subdomains: 'flat' } })
      await createAlice(server, { email: EMAIL })
      const browser = server.browser()
      const app = 'https://alice-settings.example.com/'
      const entered = await logIn(browser, { redirect: 'settings' })
      await browser.follow(entered)
      const token = (await browser.get(app)).json<Record<string, string>>()['data-svc-token']
      const answer = await browser.request('PUT', '/settings/passphrase', {
        from: new URL(app).origin,
        body: JSON.stringify(CHANGE),
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      })
      expect(answer.status).to.equal(204)
      expect(answer.setCookie('__Host-svcsessid')?.attributes).to.include({ path: '/' })
      const toLogin = await browser.get(app)
      expect(toLogin.status).to.equal(302)
      const withCode = await browser.follow(toLogin)
      expect(withCode.location).to.include('session_code=')
      const clean = await browser.follow(await browser.follow(withCode))
      expect(clean.status).to.equal(200)
    })
  })
})
