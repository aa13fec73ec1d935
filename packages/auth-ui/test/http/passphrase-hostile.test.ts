import type { Instance } from '@svc/platform'
import { sqliteStore } from '@svc/store/sqlite'
import { type BrowserClient, relyingParty } from '@svc/testkit'
import { expect } from 'chai'
import { JSON_ONLY, resetLink } from '../support/reset.ts'
import { appToken, ask, startWithSettings } from '../support/settings-server.ts'
import {
  ALICE,
  createAlice,
  logIn,
  LOGIN_VALUE,
  type UiServer,
  withAlice,
} from '../support/ui-server.ts'

const NEW_VALUE = 'bmV3IGxvZ2luIHZhbHVlLCAzMiBieXRlcyBsb25nLi4='
const EMAIL = 'alice@example.org'
const CHANGE = { current_passphrase: LOGIN_VALUE, new_passphrase: NEW_VALUE, iterations: 50_000 }

const MANY = { limit: 100_000, windowMs: 1000 }

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

  it('lets the owner in after a reset, while strangers go on guessing the passphrase', async () => {
    ;({ server } = await withAlice(startWithSettings({ oauth: { trustProxy: 1 } }), {
      email: EMAIL,
    }))
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
    expect((await bob.get(`/auth/passphrase_renew?token=${registerToken}`)).status).to.equal(400)
    const reset = new URL(await resetLink(server, server.browser())).searchParams.get('token') ?? ''
    const fields = { register_token: reset, passphrase: NEW_VALUE, iterations: '50000' }
    expect(
      (await bob.post('/settings/passphrase', fields, { headers: JSON_ONLY })).status,
    ).to.equal(400)
    expect((await bob.get(onboardingUrl)).status).to.equal(200)
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
    expect((await server.browser().get('/settings/passphrase', { headers })).status).to.equal(200)
  })

  it('says that the passphrase changed also when the news of it and the mail fail', async () => {
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
    ;({ server, instance } = await withAlice(
      startWithSettings({ store: shaky, ui: { mailer: { send: failing } } }),
      { email: EMAIL },
    ))
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
      ;({ server } = await withAlice(startWithSettings({ oauth: { subdomains: 'flat' } }), {
        email: EMAIL,
      }))
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
      expect((await browser.follow(await browser.follow(withCode))).status).to.equal(200)
    })
  })
})
