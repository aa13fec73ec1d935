import type { Instance } from '@svc/platform'
import type { BrowserClient, BrowserResponse } from '@svc/testkit'
import { expect } from 'chai'
import { refusalOf } from '../support/refusal.ts'
import { REFUSED_PASSPHRASES, type RefusedPassphrase } from '../support/refused-passphrases.ts'
import {
  ALICE,
  createAlice,
  LOGIN_VALUE,
  logIn,
  PASSPHRASE,
  startUi,
  type UiServer,
} from '../support/ui-server.ts'

const JSON_ONLY = { accept: 'application/json' }
const WRONG_TOKEN = '0'.repeat(32)

describe('onboarding (login.md 5.5)', () => {
  let server: UiServer
  let browser: BrowserClient
  let instance: Instance
  let url: string
  let token: string
  beforeEach(async () => {
    server = await startUi()
    const alice = await createAlice(server, {}, { isOnboarded: false })
    instance = alice.instance
    url = alice.onboardingUrl
    token = new URL(url).searchParams.get('registerToken') ?? ''
    browser = server.browser()
  })

  const choose = (
    fields: Readonly<Record<string, string | undefined>> = {},
    headers: Readonly<Record<string, string | undefined>> = {},
  ): Promise<BrowserResponse> =>
    browser.post(
      '/settings/passphrase',
      { register_token: token, passphrase: LOGIN_VALUE, iterations: '50000', ...fields },
      { headers },
    )

  describe('GET /auth/passphrase', () => {
    it('shows the form for a valid token, and consumes nothing', async () => {
      for (let at = 0; at < 2; at += 1) {
        const answer = await browser.get(`${url}&redirection=drive%2Fa`)
        expect(answer.status).to.equal(200)
        const page = answer.page()
        expect(page.attribute('data-salt')).to.equal('me@alice.example.com')
        const form = page.form('/settings/passphrase')
        expect(form.method).to.equal('POST')
        expect(page.attribute('data-iterations')).to.equal('650000')
        // Empty: what something else than the script sends counts as raw.
        expect(form.value('iterations')).to.equal('')
        expect(form.value('register_token')).to.equal(token)
        expect(form.value('redirection')).to.equal('drive/a')
        expect(form.inputs).to.include.members(['passphrase', 'hint'])
        expect(answer.setCookie('svcsessid')).to.equal(undefined)
      }
      expect(await server.ui.owners.isOnboarded(instance)).to.equal(false)
    })

    it('leads home once there is an owner, whatever the token', async () => {
      await choose()
      for (const query of ['', `?registerToken=${token}`, `?registerToken=${WRONG_TOKEN}`]) {
        const answer = await browser.another().get(`/auth/passphrase${query}`)
        expect(answer.status).to.equal(302)
        expect(answer.location).to.equal('https://home.alice.example.com/#')
      }
    })

    it('answers 429 after 30 wrong tokens an hour, to a right one too', async () => {
      for (let at = 0; at < 30; at += 1) {
        const path = at % 2 === 0 ? '/' : '/auth/passphrase'
        const answer = await browser.get(`${path}?registerToken=${WRONG_TOKEN}`)
        expect(answer.status).to.equal(200)
        expect(answer.text).not.to.include('/settings/passphrase')
      }
      expect((await browser.get(url)).status).to.equal(429)
      expect((await choose({}, JSON_ONLY)).json()).to.include({ code: 'rate_limited' })
      server.clock.advance(3_600_001)
      expect((await browser.get(url)).status).to.equal(200)
    })
  })

  describe('POST /settings/passphrase', () => {
    it('answers 302 home with a long session to a page', async () => {
      const answer = await choose()
      expect(answer.status).to.equal(302)
      expect(answer.location).to.equal('https://home.alice.example.com/')
      expect(answer.setCookie('svcsessid')?.attributes['max-age']).to.equal('34560000')
      const [session, ...more] = await server.ui.owners.listSessions(instance)
      expect(more).to.deep.equal([])
      expect(session).to.include({ kind: 'long', method: 'registration' })
      expect((await logIn(browser.another())).status).to.equal(302)
    })

    it('works with the form of the page', async () => {
      const form = (await browser.get(url)).page().form('/settings/passphrase')
      const answer = await browser.submit(form, {
        passphrase: 'uv5OA7us+O5w4DxqyQR0gN1ROKIbRruaqbuumkNzNGY=',
      })
      expect(answer.status).to.equal(302)
      const prelogin = (await browser.get('/public/prelogin')).json()
      expect(prelogin).to.include({ KdfIterations: 650_000, salt: 'me@alice.example.com' })
    })

    for (const accept of [undefined, '*/*', 'application/json']) {
      it(`answers 200 {redirect} when Accept is ${accept}`, async () => {
        const answer = await choose({}, { accept })
        expect(answer.status).to.equal(200)
        expect(answer.json()).to.deep.equal({ redirect: 'https://home.alice.example.com/' })
        expect(answer.setCookie('svcsessid')).not.to.equal(undefined)
      })
    }

    it('takes JSON', async () => {
      const answer = await browser.postJson('/settings/passphrase', {
        register_token: token,
        passphrase: LOGIN_VALUE,
        iterations: 50_000,
        redirection: 'drive',
      })
      expect(answer.json()).to.deep.equal({ redirect: 'https://drive.alice.example.com/' })
      expect((await logIn(browser.another())).status).to.equal(302)
    })

    const redirections: readonly [redirection: string, location: string][] = [
      ['drive/a#/b', 'https://drive.alice.example.com/a#/b'],
      ['unknown', 'https://home.alice.example.com/'],
      ['https://drive.alice.example.com/', 'https://home.alice.example.com/'],
      ['https://evil.com/', 'https://home.alice.example.com/'],
      ['//evil.com', 'https://home.alice.example.com/'],
    ]
    for (const [redirection, location] of redirections) {
      it(`leads to ${location} for redirection ${redirection}`, async () => {
        expect((await choose({ redirection })).location).to.equal(location)
      })
    }

    it('derives a raw passphrase itself, with 650 000 iterations', async () => {
      expect((await choose({ passphrase: PASSPHRASE, iterations: undefined })).status).to.equal(302)
      const other = browser.another()
      expect((await logIn(other, { passphrase: PASSPHRASE })).status).to.equal(401)
      const derived = 'uv5OA7us+O5w4DxqyQR0gN1ROKIbRruaqbuumkNzNGY='
      expect((await logIn(other, { passphrase: derived })).status).to.equal(302)
    })

    const refused: readonly RefusedPassphrase[] = [
      ['no token', { register_token: undefined }, 400, 'invalid_token'],
      ['a wrong token', { register_token: WRONG_TOKEN }, 400, 'invalid_token'],
      ['a malformed token', { register_token: 'x' }, 400, 'invalid_token'],
      ['a hint that is the passphrase', { hint: PASSPHRASE }, 400, 'invalid_hint'],
      ...REFUSED_PASSPHRASES,
    ]
    for (const [what, fields, status, code] of refused) {
      it(`answers ${status} ${code} to ${what}, and keeps the token`, async () => {
        const json = await choose(fields, JSON_ONLY)
        expect(refusalOf(json)).to.equal(`${status} ${code}`)
        const html = await choose(fields)
        expect(html.status).to.equal(status)
        expect(html.contentType).to.equal('text/html')
        expect(browser.cookie('svcsessid')).to.equal(undefined)
        expect(await server.ui.owners.isOnboarded(instance)).to.equal(false)
        expect((await choose()).status).to.equal(302)
      })
    }

    it('shows the form again, never the passphrase', async () => {
      const answer = await choose({ iterations: '1', hint: 'the usual one' })
      const form = answer.page().form('/settings/passphrase')
      expect(form.value('register_token')).to.equal(token)
      expect(form.value('hint')).to.equal('the usual one')
      expect(form.value('passphrase')).to.equal('')
      expect(answer.text).not.to.include(LOGIN_VALUE)
      const same = await choose({ hint: PASSPHRASE })
      expect(same.text).not.to.include(PASSPHRASE)
    })

    it('answers 400 once there is an owner, and changes nothing', async () => {
      await choose()
      const again = await choose({ passphrase: 'another' }, JSON_ONLY)
      expect(again.status).to.equal(400)
      expect(again.setCookie('svcsessid')).to.equal(undefined)
      expect((await logIn(browser.another())).status).to.equal(302)
    })

    it('gives app tokens and cookies of before no life after', async () => {
      const { cookie } = await server.ui.owners.createSession(instance)
      const headers = { cookie: `${cookie.name}=${cookie.value}` }
      expect((await browser.get('/settings/sessions/current', { headers })).status).to.equal(200)
      await choose()
      const after = await browser.another().get('/settings/sessions/current', { headers })
      expect(after.status).to.equal(404)
      expect(await server.ui.owners.listSessions(instance)).to.have.lengthOf(1)
    })

    it('tells the host, and hands vault keys over as they came', async () => {
      const told: unknown[] = []
      const other = await startUi({
        ui: {
          hooks: {
            onOnboarded: ({ instance: { domain } }) => {
              told.push(domain)
            },
            onVaultKeys: ({ instance: _instance, ...keys }) => {
              told.push(keys)
            },
          },
        },
      })
      const { onboardingUrl } = await createAlice(other, {}, { isOnboarded: false })
      const fields = {
        register_token: new URL(onboardingUrl).searchParams.get('registerToken') ?? '',
        passphrase: LOGIN_VALUE,
        iterations: '50000',
        key: '0.iv|ct',
        public_key: 'only one of the pair',
      }
      await other.browser().post('/settings/passphrase', fields)
      expect(told).to.deep.equal([{ key: '0.iv|ct' }, 'alice.example.com'])
    })

    it('may demand that the browser derives', async () => {
      const strict = await startUi({ ui: { passphrase: { allowRaw: false } } })
      const { onboardingUrl } = await createAlice(strict, {}, { isOnboarded: false })
      const register_token = new URL(onboardingUrl).searchParams.get('registerToken') ?? ''
      const fields = { register_token, passphrase: PASSPHRASE }
      expect((await strict.browser().post('/settings/passphrase', fields)).status).to.equal(400)
    })
  })

  describe('an instance without owner (login.md 4.8)', () => {
    it('keeps the opener of a pop-up at the login (D55)', async () => {
      const coop = async (path: string): Promise<unknown> =>
        (await browser.get(path)).headers['cross-origin-opener-policy']
      expect(await coop('/auth/login')).to.equal('unsafe-none')
      expect(await coop('/auth/passphrase')).to.equal('same-origin')
      expect(await coop('/')).to.equal('same-origin')
    })

    it('works for instances made without an owner record, once they get a link', async () => {
      const bob = await server.oauth.instances.create({ domain: 'bob.example.com' })
      const other = server.browser('https://bob.example.com')
      expect((await other.get('/auth/login')).status).to.equal(200)
      expect((await other.get('/public/prelogin')).status).to.equal(412)
      const link = await server.ui.owners.createOnboardingUrl(bob)
      expect((await other.get(link)).page().attribute('data-salt')).to.equal('me@bob.example.com')
    })
  })

  describe('GET /', () => {
    it('leads from the right token to the form, with the whole query', async () => {
      const answer = await browser.get(`/?registerToken=${token}&redirection=drive`)
      expect(answer.status).to.equal(302)
      expect(answer.location).to.equal(
        `${ALICE}/auth/passphrase?registerToken=${token}&redirection=drive`,
      )
    })

    it('leads to the login with nothing but email_verified_code, or home', async () => {
      await choose()
      const code = 'a'.repeat(32)
      const stranger = browser.another()
      expect((await stranger.get('/?x=y')).location).to.equal(`${ALICE}/auth/login`)
      expect((await stranger.get(`/?email_verified_code=${code}&x=y`)).location).to.equal(
        `${ALICE}/auth/login?email_verified_code=${code}`,
      )
      const home = await browser.get('/')
      expect(home.status).to.equal(302)
      expect(home.location).to.equal('https://home.alice.example.com/#')
    })
  })

  it('keeps the three latest links valid, until one is used', async () => {
    const links = [url]
    for (let at = 0; at < 3; at += 1) {
      links.push(await server.ui.owners.createOnboardingUrl(instance))
    }
    const isForm = async (link: string): Promise<boolean> =>
      (await browser.get(link)).page().forms.some(({ action }) => action.endsWith('/passphrase'))
    expect(await Promise.all(links.map(isForm))).to.deep.equal([false, true, true, true])
    token = new URL(links[3] ?? '').searchParams.get('registerToken') ?? ''
    expect((await choose()).status).to.equal(302)
    const refusal = await server.ui.owners
      .createOnboardingUrl(instance)
      .catch((error: unknown) => error)
    expect(refusal).to.include({ code: 'already_onboarded' })
  })
})
