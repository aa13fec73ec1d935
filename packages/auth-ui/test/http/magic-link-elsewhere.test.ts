import { type Instance, MINUTE_MS } from '@svc/platform'
import {
  type BrowserClient,
  type BrowserResponse,
  eachStore,
  fakeClock,
  relyingParty,
} from '@svc/testkit'
import { expect } from 'chai'
import { afterEach, beforeEach, describe, it } from 'mocha'
import { changeOwner } from '../support/second-step.ts'
import { appToken, ask, startWithSettings } from '../support/settings-server.ts'
import {
  ALICE,
  logIn,
  LOGIN_VALUE,
  startUi,
  type UiServer,
  withAlice,
} from '../support/ui-server.ts'

const JSON_ONLY = { accept: 'application/json' }
const COOKIE = '__Secure-magic-request'
const SESSION = 'svcsessid'
const OPEN = '/auth/magic_link/open'
const HOME = 'https://home.alice.example.com/'
const EMAIL = 'alice@example.org'
const MANY = { limit: 1000, windowMs: 60_000 }
const LIMITS = { auth: MANY, 'auth-ip': MANY, 'magic-link': MANY, 'magic-code-passphrase': MANY }

/** What another browser than the one that asked may do with a magic link. @see decision D96 */
eachStore((open, name) => {
  describe('a magic link in another browser', () => {
    let server: UiServer
    let second: UiServer
    let instance: Instance
    let asking: BrowserClient
    beforeEach(async () => {
      const clock = fakeClock()
      const store = await open({ clock })
      ;({ server, instance } = await withAlice(
        startWithSettings({ clock, store, ui: { limits: LIMITS } }),
        { email: EMAIL },
      ))
      await server.ui.owners.setMagicLink(instance, true)
      asking = server.browser()
      const other = name === 'Redis' ? await open({ clock, sameAs: store }) : store
      second = await startUi({ store: other, key: server.key, clock, ui: { limits: LIMITS } })
    })
    afterEach(async () => {
      await second.close()
      await server.close()
    })

    async function askLink(fields: Record<string, string> = {}): Promise<string> {
      expect((await asking.post('/auth/magic_link', fields)).status).to.equal(200)
      const mail = server.mails.findLast(({ template }) => template === 'magic_link')
      return mail?.template === 'magic_link'
        ? (new URL(mail.variables.url).searchParams.get('code') ?? '')
        : ''
    }

    const sessions = () => server.ui.owners.listSessions(instance)
    const press = (code: string, browser = server.browser()): Promise<BrowserResponse> =>
      browser.post(OPEN, { code })
    const follow = (code: string, browser = asking): Promise<BrowserResponse> =>
      browser.get(`/auth/magic_link?code=${code}`)

    async function opened(): Promise<{ code: string; elsewhere: BrowserClient }> {
      const code = await askLink()
      const elsewhere = server.browser()
      expect((await press(code, elsewhere)).status).to.equal(302)
      return { code, elsewhere }
    }

    it('opens a session of 5 minutes that no use prolongs', async () => {
      const code = await askLink()
      const elsewhere = server.browser()
      const page = (await follow(code, elsewhere)).page()
      expect(page.text).to.include('look around here for 5 minutes')
      const answer = await elsewhere.submit(page.form(OPEN))
      expect([answer.status, answer.location]).to.deep.equal([302, HOME])
      expect(answer.setCookie(SESSION)?.attributes['max-age']).to.equal('300')
      server.clock.advance(4 * MINUTE_MS)
      const { id } = (await sessions())[0] ?? {}
      expect((await elsewhere.get(HOME)).json()).to.include({ session: id })
      server.clock.advance(MINUTE_MS)
      expect((await elsewhere.get(HOME)).status).to.equal(302)
      expect(await sessions()).to.deep.equal([])
    })

    it('is told by mail each time, and listed as short', async () => {
      // A place that is known, and a mail of a new one within the hour.
      await logIn(server.browser())
      for (let at = 1; at <= 2; at += 1) {
        await opened()
        await server.sentMails()
        const told = server.mails.filter(({ template }) => template === 'new_connection')
        expect(told).to.have.lengthOf(at)
      }
      const owner = server.browser()
      await logIn(owner)
      const listed = (await ask(owner, 'GET', '/settings/sessions')).json<{
        data: { attributes: Record<string, unknown> }[]
      }>()
      const links = listed.data.filter(
        ({ attributes }) => attributes['login_method'] === 'magic_link',
      )
      expect(links.map(({ attributes }) => attributes['short_run'])).to.deep.equal([true, true])
    })

    it('leaves the asking browser its own use, which ends the session elsewhere', async () => {
      const { code, elsewhere } = await opened()
      const token = await appToken(elsewhere)
      const answer = await follow(code)
      expect([answer.status, answer.location]).to.deep.equal([302, HOME])
      expect(answer.setCookie(SESSION)?.attributes).not.to.have.property('max-age')
      const left = await sessions()
      expect(left).to.have.lengthOf(1)
      expect(left[0]).to.include({ kind: 'normal', method: 'magic_link' })
      const gone = await ask(elsewhere, 'GET', '/settings/sessions', undefined, { token })
      expect(gone.status).to.equal(401)
      // Both are used now.
      expect((await follow(code, server.browser())).status).to.equal(400)
      expect((await press(code)).status).to.equal(401)
    })

    it('gives the asking browser its own use by the button, too', async () => {
      const code = await askLink()
      const answer = await press(code, asking)
      expect(answer.setCookie(SESSION)?.attributes).not.to.have.property('max-age')
      expect((await press(code)).status).to.equal(401)
    })

    it('works once: not in a third browser, and a double click is success', async () => {
      const { code, elsewhere } = await opened()
      expect((await press(code)).status).to.equal(401)
      expect((await follow(code, server.browser())).status).to.equal(400)
      for (const again of [await press(code, elsewhere), await follow(code, elsewhere)]) {
        expect([again.status, again.location?.replace('#', '')]).to.deep.equal([302, HOME])
        expect(again.setCookie(SESSION)).to.equal(undefined)
      }
      expect(await sessions()).to.have.lengthOf(1)
    })

    it('takes no live session’s place', async () => {
      const browser = server.browser()
      await logIn(browser, { redirect: `${ALICE}/auth/authorize?client_id=x` })
      const code = await askLink()
      const answer = await press(code, browser)
      expect(answer.setCookie(SESSION)).to.equal(undefined)
      // It was not used up.
      expect((await press(code)).setCookie(SESSION)).not.to.equal(undefined)
    })

    it('lets the owner log in for more, and ask for a link of its own', async () => {
      const { elsewhere } = await opened()
      expect((await elsewhere.get('/auth/login')).page().form('/auth/login').method).to.equal(
        'POST',
      )
      expect((await logIn(elsewhere)).setCookie(SESSION)).not.to.equal(undefined)
      expect((await sessions()).map(({ kind }) => kind)).to.deep.equal(['normal'])

      const other = await opened()
      asking = other.elsewhere
      expect((await follow(await askLink())).setCookie(SESSION)).not.to.equal(undefined)
      const kinds = (await sessions()).map(({ kind }) => kind)
      expect(kinds).to.deep.equal(['normal', 'normal'])
    })

    it('cannot confirm, with whatever passphrase', async () => {
      const { elsewhere } = await opened()
      const page = await elsewhere.get('/auth/confirm?state=s&redirect=settings')
      expect(page.status).to.equal(200)
      const login = page.page().form('/auth/login')
      const fields = { state: 's', redirect: 'settings', passphrase: LOGIN_VALUE }
      const refused = await elsewhere.post('/auth/confirm', fields, { headers: JSON_ONLY })
      expect(refused.status).to.equal(403)
      const back = await elsewhere.submit(login, { passphrase: LOGIN_VALUE })
      const confirm = (await elsewhere.get(back.location ?? '')).page().form('/auth/confirm')
      expect(confirm.value('state')).to.equal('s')
    })

    it('has no code mailed in the place of a passphrase that nobody knows', async () => {
      await changeOwner(server, instance, (known) => ({ ...known, passwordDefined: false }))
      const { elsewhere } = await opened()
      const fields = { state: 's', redirect: 'settings', way: 'mail' }
      const refused = await elsewhere.post('/auth/confirm', fields, { headers: JSON_ONLY })
      expect(refused.status).to.equal(403)
      expect(server.mails.map(({ template }) => template)).not.to.include('two_factor')
    })

    it('adds and changes no credential, with whatever confirmation', async () => {
      const { elsewhere } = await opened()
      const owner = server.browser()
      await logIn(owner)
      const confirm = { state: 's', redirect: 'settings', passphrase: LOGIN_VALUE }
      const answer = await owner.post('/auth/confirm', confirm, { headers: JSON_ONLY })
      const { searchParams } = new URL(answer.json<{ redirect: string }>().redirect)
      const code = searchParams.get('code') ?? ''
      const confirmed = { confirmation_code: code, confirmation_state: 's' }
      const change = { new_passphrase: LOGIN_VALUE, iterations: 50_000 }
      const refused: readonly [method: string, path: string, body: object][] = [
        ['POST', '/settings/factors/totp', confirmed],
        ['PUT', '/settings/factors/totp', { code: '123456' }],
        ['PUT', '/settings/factors/mail', confirmed],
        ['PUT', '/settings/magic_link', { ...confirmed, enabled: false }],
        ['PUT', '/settings/profile/email', { ...confirmed, email: 'mallory@example.org' }],
        [
          'PUT',
          '/settings/instance/auth_mode',
          { auth_mode: 'two_factor_mail', passphrase: LOGIN_VALUE },
        ],
        ['PUT', '/settings/passphrase', { ...change, current_passphrase: LOGIN_VALUE }],
        ['PUT', '/settings/passphrase', { ...change, force: true }],
      ]
      const token = await appToken(elsewhere)
      await changeOwner(server, instance, (known) => ({ ...known, passwordDefined: false }))
      for (const [method, path, body] of refused) {
        const { status, text } = await ask(elsewhere, method, path, body, { token })
        expect(
          [status, text.includes('confirmation_required')],
          `${method} ${path} ${text}`,
        ).to.deep.equal([403, true])
      }
      const page = await elsewhere.get(`/auth/passkey?code=${code}&state=s`)
      expect(new URL(page.location ?? '').pathname).to.equal('/auth/login')
    })

    for (const way of ['twofactor', 'flagship'] as const) {
      it(`${way} uses both up, and ends the session elsewhere`, async () => {
        const { code } = await opened()
        const party = relyingParty({ issuer: ALICE, port: server.port })
        const { client_id, client_secret } = await party.register()
        const client = { client_id, client_secret, magic_code: code }
        const answer =
          way === 'twofactor'
            ? await server.browser().post('/auth/magic_link/twofactor', {
                magic_code: code,
                passphrase: LOGIN_VALUE,
              })
            : await server.browser().postJson('/auth/magic_link/flagship', client)
        expect(answer.status).to.equal(way === 'twofactor' ? 302 : 202)
        expect((await sessions()).map(({ kind }) => kind)).to.deep.equal(
          way === 'twofactor' ? ['normal'] : [],
        )
        expect((await follow(code)).status).to.be.oneOf([302, 400])
        expect((await follow(code)).setCookie(SESSION)).to.equal(undefined)
        expect((await press(code)).status).to.equal(401)
      })
    }

    it('of 50 parallel callers elsewhere exactly one is let in', async () => {
      const code = await askLink()
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, at) =>
          press(code, (at % 2 === 0 ? server : second).browser()),
        ),
      )
      for (const { status } of answers) expect(status).to.be.oneOf([302, 401])
      expect(answers.filter(({ status }) => status === 302)).to.have.lengthOf(1)
      expect(await sessions()).to.have.lengthOf(1)
      expect((await follow(code)).setCookie(SESSION)).not.to.equal(undefined)
    })

    it('of 50 callers of both kinds at once one each is let in, and one session is left', async () => {
      const code = await askLink()
      const secret = asking.cookie(COOKIE, `${ALICE}/auth/magic_link`)?.value
      const headers = { cookie: `${COOKIE}=${secret}` }
      const answers = await Promise.all(
        Array.from({ length: 50 }, async (_, at) => {
          const browser = (at % 2 === 0 ? server : second).browser()
          const isAsking = at % 4 < 2
          const answer = isAsking
            ? await browser.get(`/auth/magic_link?code=${code}`, { headers })
            : await press(code, browser)
          return { isAsking, isIn: answer.setCookie(SESSION) !== undefined }
        }),
      )
      const letIn = answers.filter(({ isIn }) => isIn)
      expect(letIn.filter(({ isAsking }) => isAsking)).to.have.lengthOf(1)
      expect(letIn.filter(({ isAsking }) => !isAsking).length).to.be.at.most(1)
      expect((await sessions()).map(({ kind }) => kind)).to.deep.equal(['normal'])
    })
  })
})
