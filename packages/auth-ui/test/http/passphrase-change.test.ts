import type { Instance } from '@svc/platform'
import { type BrowserClient, type BrowserResponse, relyingParty } from '@svc/testkit'
import { expect } from 'chai'
import { trustBrowser } from '../support/second-step.ts'
import { refusalOf } from '../support/refusal.ts'
import type { AuthUiOptions } from '../../src/index.ts'
import { JSON_ONLY, mailsOf, resetLink } from '../support/reset.ts'
import { appToken, ask, startWithSettings } from '../support/settings-server.ts'
import {
  ALICE,
  createAlice,
  LOGIN_VALUE,
  logIn,
  PASSPHRASE,
  type UiServer,
} from '../support/ui-server.ts'

const NEW_VALUE = 'bmV3IGxvZ2luIHZhbHVlLCAzMiBieXRlcyBsb25nLi4='
/** Of {@link PASSPHRASE} with 650 000 iterations. */
const DERIVED = 'uv5OA7us+O5w4DxqyQR0gN1ROKIbRruaqbuumkNzNGY='
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

type Way = 'PUT' | 'renew' | 'host'

/** Login value after each way. */
const AFTER: Readonly<Record<Way, string>> = { PUT: NEW_VALUE, renew: NEW_VALUE, host: DERIVED }

describe('a change of the passphrase (login.md 7.1)', () => {
  let server: UiServer
  let browser: BrowserClient
  let instance: Instance
  let told: [name: string, event: Readonly<Record<string, unknown>>][]

  async function start(ui: Partial<AuthUiOptions> = {}): Promise<void> {
    told = []
    const tell =
      (name: string) =>
      ({ instance: { domain }, ...event }: { readonly instance: Instance }) => {
        told.push([name, { domain, ...event }])
      }
    server = await startWithSettings({
      ui: {
        hooks: {
          onPassphraseChanged: tell('onPassphraseChanged'),
          onUnrecoverableVault: tell('onUnrecoverableVault'),
          onVaultKeys: tell('onVaultKeys'),
        },
        ...ui,
      },
    })
    ;({ instance } = await createAlice(server, { email: 'alice@example.org' }))
    browser = server.browser(ALICE, { 'user-agent': FIREFOX })
    await logIn(browser)
  }
  beforeEach(() => start())

  /** Passcode and token of a second step that an answer asks for. */
  function pairOf(answer: BrowserResponse): { token: string; passcode: string } {
    const token = answer.json<{ two_factor_token: string }>().two_factor_token
    return { token, passcode: mailsOf(server, 'two_factor').at(-1)?.variables.passcode ?? '' }
  }

  const change: Readonly<Record<Way, (more?: Readonly<Record<string, string>>) => Promise<void>>> =
    {
      PUT: async (more = {}) => {
        const fields = {
          current_passphrase: LOGIN_VALUE,
          new_passphrase: NEW_VALUE,
          iterations: 50_000,
          ...more,
        }
        let answer = await ask(browser, 'PUT', '/settings/passphrase', fields)
        if (answer.status === 200) {
          const { token, passcode } = pairOf(answer)
          answer = await ask(browser, 'PUT', '/settings/passphrase', {
            ...fields,
            current_passphrase: undefined,
            two_factor_token: token,
            two_factor_passcode: passcode,
          })
        }
        expect(answer.status).to.equal(204)
      },
      renew: async (more = {}) => {
        const other = server.browser()
        const form = (await other.get(await resetLink(server, other)))
          .page()
          .form('/auth/passphrase_renew')
        const fields = { passphrase: NEW_VALUE, iterations: '50000', ...more }
        expect((await other.submit(form, fields)).status).to.equal(302)
      },
      host: () => server.ui.owners.resetPassphrase(instance, PASSPHRASE),
    }

  for (const way of ['PUT', 'renew', 'host'] as const) {
    describe(`by ${way}`, () => {
      it('ends every session but the new one of the caller', async () => {
        const other = server.browser()
        await logIn(other, { 'long-run-session': 'on' })
        const cookies = [browser, other].map((who) => who.cookie('svcsessid')?.value)
        await change[way]()
        const left = await server.ui.owners.listSessions(instance)
        expect(left).to.have.lengthOf(way === 'PUT' ? 1 : 0)
        for (const cookie of cookies) {
          const headers = { cookie: `svcsessid=${cookie}` }
          const answer = await server.browser().get('/settings/sessions/current', { headers })
          expect(answer.status).to.equal(404)
        }
        expect((await browser.get('/settings/sessions/current')).status).to.equal(
          way === 'PUT' ? 200 : 404,
        )
      })

      it('refuses the old passphrase and takes the new one', async () => {
        await change[way]()
        expect((await logIn(server.browser())).status).to.equal(401)
        expect((await logIn(server.browser(), { passphrase: AFTER[way] })).status).to.equal(302)
      })

      it('ends app tokens', async () => {
        const token = await appToken(browser)
        const before = await ask(browser, 'GET', '/settings/sessions', undefined, { token })
        expect(before.status).to.equal(200)
        await change[way]()
        if (way !== 'PUT') await logIn(browser, { passphrase: AFTER[way] })
        const after = await ask(browser, 'GET', '/settings/sessions', undefined, { token })
        expect(after.status).to.equal(401)
        expect(after.headers['www-authenticate']).to.include('invalid_token')
      })

      it('forgets browsers that logged in before', async () => {
        const known = browser.cookie('__Secure-svcknown', `${ALICE}/auth/login`)?.value
        expect(known).to.match(/^[A-Za-z0-9_-]{22}$/)
        await change[way]()
        for (let at = 0; at < 20; at += 1) {
          expect((await logIn(server.browser(), { passphrase: 'wrong' })).status).to.equal(401)
        }
        const headers = { cookie: `__Secure-svcknown=${known}` }
        const answer = await logIn(server.browser(), { passphrase: AFTER[way] }, headers)
        expect(answer.status).to.equal(429)
      })

      it('ends session, magic and email-verified codes', async () => {
        const { owners } = server.ui
        await owners.setMagicLink(instance, true)
        const session = await owners.createSessionCode(instance)
        const magic = await owners.createMagicLinkCode(instance)
        const verified = await owners.createEmailVerifiedCode(instance)
        expect((await server.browser().get(magic.url)).status).to.equal(200)
        await change[way]()
        const page = await server
          .browser()
          .get(`https://drive.alice.example.com/?session_code=${session}`)
        expect(page.setCookie('svcsessid')).to.equal(undefined)
        expect((await server.browser().get(magic.url)).status).to.equal(400)
        await owners.setAuthMode(instance, 'two_factor_mail')
        const login = await logIn(
          server.browser(),
          { passphrase: AFTER[way], email_verified_code: verified },
          JSON_ONLY,
        )
        expect(login.json()).to.have.property('two_factor_token')
      })

      it('ends trusted browsers, pending second steps and confirmations', async () => {
        await server.ui.owners.setAuthMode(instance, 'two_factor_mail')
        const trusted = server.browser()
        const skip = { 'trusted-device-token': await trustBrowser(server, trusted) }
        expect((await logIn(server.browser(), skip)).status).to.equal(302)
        const confirmed = await server
          .browser()
          .post(
            '/auth/confirm',
            { passphrase: LOGIN_VALUE, state: 'state', ...skip },
            { headers: JSON_ONLY },
          )
        const { redirect } = confirmed.json<{ redirect: string }>()
        const code = new URL(redirect).searchParams.get('code')
        expect((await server.browser().get(`/auth/confirm/${code}`)).status).to.equal(204)
        const pending = pairOf(await logIn(server.browser(), {}, JSON_ONLY))
        browser = trusted

        await change[way]()
        const again = await logIn(server.browser(), { passphrase: AFTER[way], ...skip }, JSON_ONLY)
        expect(again.json()).to.have.property('two_factor_token')
        expect((await server.browser().get(`/auth/confirm/${code}`)).status).to.equal(401)
        const late = await server
          .browser()
          .post(
            '/auth/twofactor',
            { 'two-factor-token': pending.token, 'two-factor-passcode': pending.passcode },
            { headers: JSON_ONLY },
          )
        expect(refusalOf(late)).to.equal('401 two_factor_expired')
      })

      it('drops a pending link', async () => {
        const url = await resetLink(server, server.browser())
        if (way === 'renew') {
          const form = (await browser.get(url)).page().form('/auth/passphrase_renew')
          const fields = { passphrase: NEW_VALUE, iterations: '50000' }
          expect((await browser.submit(form, fields)).status).to.equal(302)
        } else await change[way]()
        expect((await server.browser().get(url)).status).to.equal(400)
      })

      it('tells the owner and the host', async () => {
        await change[way]()
        await server.sentMails()
        const [mail, ...more] = mailsOf(server, 'passphrase_changed')
        expect(more).to.deep.equal([])
        expect(mail?.variables.url).to.equal('https://alice.example.com/auth/passphrase_reset')
        expect(mail?.variables.address).to.equal(way === 'host' ? '' : '127.0.0.1')
        const how = { PUT: 'settings', renew: 'reset', host: 'host' }[way]
        expect(told).to.deep.equal([['onPassphraseChanged', { domain: 'alice.example.com', how }]])
      })

      it('opens no session to a login whose passphrase was checked before', async () => {
        let isAsked = true
        await start({
          hooks: {
            onLogin: async () => {
              if (isAsked) return
              isAsked = true
              await change[way]()
            },
          },
        })
        isAsked = false
        const answer = await logIn(server.browser())
        expect(answer.status).to.equal(401)
        expect(answer.setCookie('svcsessid')).to.equal(undefined)
      })
    })
  }

  describe('and OAuth clients', () => {
    async function connect(isFlagship: boolean) {
      const party = relyingParty({ issuer: ALICE, port: server.port })
      const { client_id: id } = await party.register()
      if (isFlagship) await server.oauth.clients.setFlagship(instance, id, true)
      const pending = await party.authorize({ scope: 'io.svc.settings' })
      const consent = await browser.get(pending.url)
      const allowed = await browser.submit(consent.page().form('/auth/authorize'))
      const tokens = await party.exchange(allowed.location ?? '', pending)
      const isAlive = async (): Promise<boolean> => {
        const call = await server.browser().get('/settings/passphrase', {
          headers: { authorization: `Bearer ${tokens.access_token}` },
        })
        const refreshed = await party.refresh(String(tokens.refresh_token)).catch(() => undefined)
        expect(call.status === 200).to.equal(refreshed !== undefined)
        expect(await server.oauth.clients.get(instance, id)).not.to.equal(undefined)
        return refreshed !== undefined
      }
      return { isAlive }
    }

    const rows: readonly [
      option: 'none' | 'flagship' | 'all' | undefined,
      way: Way,
      flagship: boolean,
      other: boolean,
    ][] = [
      [undefined, 'PUT', true, true],
      [undefined, 'renew', false, true],
      [undefined, 'host', false, true],
      ['none', 'renew', true, true],
      ['all', 'renew', false, false],
      ['all', 'PUT', true, true],
    ]
    for (const [option, way, flagship, other] of rows) {
      it(`keeps ${[flagship && 'the flagship app', other && 'others'].filter(Boolean).join(' and ') || 'none'} with ${option} by ${way}`, async () => {
        await start(option === undefined ? {} : { passphrase: { revokeOAuthOnReset: option } })
        const clients = [await connect(true), await connect(false)]
        for (const { isAlive } of clients) expect(await isAlive()).to.equal(true)
        await change[way]()
        const alive: boolean[] = []
        for (const { isAlive } of clients) alive.push(await isAlive())
        expect(alive).to.deep.equal([flagship, other])
      })
    }
  })

  describe('and the vault', () => {
    const keys = { key: '0.iv|ct', public_key: 'pub', private_key: '2.iv|ct|mac' }
    const given = { key: '0.iv|ct', publicKey: 'pub', privateKey: '2.iv|ct|mac' }
    beforeEach(async () => {
      await change.PUT(keys)
      told = []
    })

    it('hands new keys over when it changes', async () => {
      await change.PUT({ current_passphrase: NEW_VALUE, key: '0.new|key' })
      expect(told.map(([name, { domain: _domain, ...event }]) => [name, event])).to.deep.equal([
        ['onVaultKeys', { key: '0.new|key' }],
        ['onPassphraseChanged', { how: 'settings' }],
      ])
    })

    it('is lost by a reset without keys, which is said before', async () => {
      const page = await server.browser().get('/auth/passphrase_reset')
      expect(page.text).to.match(/vault|password manager|saved passwords/i)
      await change.renew()
      expect(mailsOf(server, 'passphrase_reset').at(-1)?.variables.losesVault).to.equal(true)
      expect(told.map(([name]) => name)).to.deep.equal([
        'onUnrecoverableVault',
        'onPassphraseChanged',
      ])
      await logIn(browser, { passphrase: NEW_VALUE })
      // No vault any more: no key is needed.
      await change.PUT({ current_passphrase: NEW_VALUE, new_passphrase: LOGIN_VALUE })
    })

    it('is not lost by a reset that brings keys', async () => {
      await change.renew(keys)
      expect(told.map(([name, { domain: _domain, ...event }]) => [name, event])).to.deep.equal([
        ['onVaultKeys', given],
        ['onPassphraseChanged', { how: 'reset' }],
      ])
    })

    it('is lost when the operator resets', async () => {
      await change.host()
      expect(told.map(([name]) => name)).to.include('onUnrecoverableVault')
    })
  })

  it('is refused by the operator for an owner who has none yet', async () => {
    const { instance: bob } = await server.ui.owners.createInstance({ domain: 'bob.example.com' })
    const refusal = await server.ui.owners
      .resetPassphrase(bob, 'x')
      .catch((error: unknown) => error)
    expect(refusal).to.include({ code: 'onboarding_needed' })
    const empty = await server.ui.owners
      .resetPassphrase(instance, '')
      .catch((error: unknown) => error)
    expect(empty).to.include({ code: 'invalid_parameter' })
  })
})
