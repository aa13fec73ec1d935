import type { Instance } from '@svc/platform'
import type { BrowserClient, BrowserResponse } from '@svc/testkit'
import { expect } from 'chai'
import { logIn, startUi, type UiServer, withAlice } from '../support/ui-server.ts'

const DRIVE = 'https://drive.alice.example.com'

describe('logout (login.md 5.2)', () => {
  let server: UiServer
  let browser: BrowserClient
  let instance: Instance
  beforeEach(async () => {
    ;({ server, instance, browser } = await withAlice(startUi()))
    await logIn(browser)
  })

  const tokenOf = async (who: BrowserClient): Promise<string> =>
    (await who.get(`${DRIVE}/`)).json<Record<string, string>>()['data-svc-token'] ?? ''
  const end = (who: BrowserClient, token: string, path = '/auth/login'): Promise<BrowserResponse> =>
    who.request('DELETE', path, {
      from: DRIVE,
      ...(token === '' ? {} : { headers: { authorization: `Bearer ${token}` } }),
    })
  const count = async (): Promise<number> => (await server.ui.owners.listSessions(instance)).length

  it('answers 204, clears the cookie and ends the session and its tokens', async () => {
    const token = await tokenOf(browser)
    const cookie = browser.cookie('svcsessid')
    const answer = await end(browser, token)
    expect(answer.status).to.equal(204)
    expect(answer.contentType).to.equal('')
    const cleared = answer.setCookie('svcsessid')
    expect(cleared?.value).to.equal('')
    expect(cleared?.attributes).to.deep.equal({
      path: '/',
      domain: 'alice.example.com',
      'max-age': '0',
      httponly: true,
      samesite: 'Lax',
      secure: true,
    })
    expect(browser.cookie('svcsessid')).to.equal(undefined)
    expect(await count()).to.equal(0)
    const headers = { cookie: `svcsessid=${cookie?.value}`, authorization: `Bearer ${token}` }
    const again = await browser.another().request('DELETE', '/auth/login', { from: DRIVE, headers })
    expect(again.status).to.equal(401)
    const list = await browser.another().request('GET', '/settings/sessions', { headers })
    expect(list.status).to.equal(401)
    expect(list.headers['www-authenticate']).to.include('error="invalid_token"')
  })

  it('is effective at once in another process', async () => {
    const other = await startUi({ store: server.store, key: server.key, clock: server.clock })
    const token = await tokenOf(browser)
    const cookie = `svcsessid=${browser.cookie('svcsessid')?.value}`
    const headers = { cookie, authorization: `Bearer ${token}` }
    const ask = (): Promise<BrowserResponse> =>
      other.browser().get('/settings/sessions/current', { headers })
    expect((await ask()).status).to.equal(200)
    await end(browser, token)
    expect((await ask()).status).to.equal(404)
    expect((await end(other.browser(), token)).status).to.equal(401)
  })

  it('ends the others, and only them', async () => {
    const others = [browser.another(), browser.another()]
    for (const other of others) await logIn(other)
    const token = await tokenOf(browser)
    const otherToken = await tokenOf(others[0] ?? browser)
    for (let at = 0; at < 2; at += 1) {
      expect((await end(browser, token, '/auth/login/others')).status).to.equal(204)
      expect(await count()).to.equal(1)
    }
    expect((await browser.get('/auth/login')).status).to.equal(302)
    for (const other of others) expect((await other.get('/auth/login')).status).to.equal(200)
    expect((await end(others[0] ?? browser, otherToken)).status).to.equal(401)
  })

  for (const path of ['/auth/login', '/auth/login/others']) {
    describe(`DELETE ${path}`, () => {
      const cases: readonly [what: string, make: () => Promise<string>][] = [
        ['no token', async () => ''],
        ['a token that is none', async () => 'x'],
        ['a token of another session', async () => tokenOf(await loggedIn(browser.another()))],
        [
          'a token over 24 hours old',
          async () => {
            const token = await tokenOf(browser)
            server.clock.advance(24 * 3_600_000 + 120_000)
            return token
          },
        ],
        [
          "another instance's token",
          async () => {
            await server.ui.owners.createInstance({ domain: 'bob.example.com' }, 'x')
            const bob = await server.oauth.instances.byHost('bob.example.com')
            if (bob === undefined) throw new Error('bob is gone')
            const { session } = await server.ui.owners.createSession(bob)
            const app = await server.oauth.apps.installed(bob, 'drive')
            if (app === undefined) throw new Error('drive is gone')
            return server.oauth.appTokens.issue(bob, app, session.id)
          },
        ],
      ]
      for (const [what, make] of cases) {
        it(`answers 401 to ${what}, and ends nothing`, async () => {
          const token = await make()
          const before = await count()
          const answer = await end(browser, token, path)
          expect(answer.status).to.equal(401)
          expect(answer.json()).to.include({
            error: 'The user can logout only from client-side apps',
          })
          expect(answer.headers['www-authenticate']).to.match(/^Bearer/)
          expect(answer.setCookies).to.deep.equal([])
          expect(await count()).to.equal(before)
        })
      }

      it("answers 401 without the session's cookie", async () => {
        const answer = await end(browser.another(), await tokenOf(browser), path)
        expect(answer.status).to.equal(401)
        expect(answer.json()).to.include({
          error:
            path === '/auth/login'
              ? 'The user can logout only from client-side apps'
              : 'Could not retrieve session',
        })
      })
    })
  }

  async function loggedIn(who: BrowserClient): Promise<BrowserClient> {
    await logIn(who)
    return who
  }
})
