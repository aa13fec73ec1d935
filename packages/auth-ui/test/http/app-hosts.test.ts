import type { Instance } from '@svc/platform'
import type { BrowserClient, BrowserResponse } from '@svc/testkit'
import { expect } from 'chai'
import {
  ALICE,
  createAlice,
  logIn,
  startUi,
  type UiServer,
  withAlice,
} from '../support/ui-server.ts'

type AppAnswer = { session: string | null; 'data-svc-token'?: string }

describe('app hosts, nested (login.md 9.3, D29)', () => {
  const DRIVE = 'https://drive.alice.example.com'
  let server: UiServer
  let browser: BrowserClient
  beforeEach(async () => {
    ;({ server, browser } = await withAlice(startUi()))
  })

  it('send a private page without a session to the login, and back', async () => {
    const bounced = await browser.get(`${DRIVE}/a?b=%2B`)
    expect(bounced.status).to.equal(302)
    expect(bounced.location).to.equal(
      `${ALICE}/auth/login?redirect=${encodeURIComponent(`${DRIVE}/a?b=%2B`)}`,
    )
    const form = (await browser.follow(bounced)).page().form('/auth/login')
    const back = await logIn(browser, { redirect: form.value('redirect') })
    expect(back.location).to.equal(`${DRIVE}/a?b=%2B`)
    expect((await browser.follow(back)).status).to.equal(200)
  })

  it('answer 401 to a private file without a session', async () => {
    const answer = await browser.get(`${DRIVE}/app.js`)
    expect(answer.status).to.equal(401)
    expect(answer.headers['content-type']).to.equal('text/plain; charset=utf-8')
    expect(answer.body).to.have.lengthOf(0)
  })

  it('give a private page a fresh token at every fetch, for its session alone', async () => {
    await logIn(browser)
    const first = await browser.get(`${DRIVE}/`)
    expect(first.headers['cache-control']).to.equal('no-store')
    const { 'data-svc-token': token = '', ...rest } = first.json<AppAnswer>()
    expect(rest).to.include({
      'data-svc-domain': 'alice.example.com',
      'data-svc-origin': ALICE,
      'data-svc-namespace': 'io.svc',
      'data-svc-slug': 'drive',
      'data-svc-locale': 'en',
    })
    const use = (who: BrowserClient): Promise<BrowserResponse> =>
      who.request('DELETE', '/auth/login/others', {
        from: DRIVE,
        headers: { authorization: `Bearer ${token}` },
      })
    expect((await use(browser)).status).to.equal(204)
    const other = browser.another()
    await logIn(other)
    expect((await use(other)).status).to.equal(401)
    server.clock.advance(1000)
    const second = await browser.get(`${DRIVE}/`)
    expect(second.json<AppAnswer>()['data-svc-token']).not.to.equal(token)
  })

  it('give a public page no token, with or without a session', async () => {
    expect((await browser.get(`${DRIVE}/public`)).json<AppAnswer>().session).to.equal(null)
    await logIn(browser)
    const answer = (await browser.get(`${DRIVE}/public`)).json<AppAnswer>()
    expect(answer.session).to.match(/^[0-9a-f]{32}$/)
    expect(answer).not.to.have.property('data-svc-token')
  })

  it('answer 404 for an app that is not installed, and to every path of the interface', async () => {
    expect((await browser.get('https://unknown.alice.example.com/')).status).to.equal(404)
    const answer = await browser.get(`${DRIVE}/auth/login`)
    expect(answer.status).to.equal(404)
    expect(answer.text).not.to.include('<form')
  })
})

describe('app hosts, flat (login.md 9.2)', () => {
  const DRIVE = 'https://alice-drive.example.com'
  const NOTES = 'https://alice-home.example.com'
  let server: UiServer
  let browser: BrowserClient
  let instance: Instance
  beforeEach(async () => {
    ;({ server, instance, browser } = await withAlice(startUi({ oauth: { subdomains: 'flat' } })))
  })

  const codeOf = (location: string | undefined): string =>
    new URL(location ?? '').searchParams.get('session_code') ?? ''

  /** A code for drive, of a logged-in browser. */
  async function mint(): Promise<string> {
    const answer = await logIn(browser, { redirect: 'drive' })
    return codeOf(answer.location)
  }

  it('hand the session over: page, login, code, cookie, page', async () => {
    const bounced = await browser.get(`${DRIVE}/a?b#c`)
    expect(bounced.location).to.include(`${ALICE}/auth/login?redirect=`)
    const login = await browser.follow(bounced)
    const redirect = login.page().form('/auth/login').value('redirect')
    const opened = await logIn(browser, { redirect })
    expect(opened.status).to.equal(302)
    expect(opened.location).to.match(
      /^https:\/\/alice-drive\.example\.com\/a\?b&session_code=[A-Za-z0-9]{32}$/,
    )
    const taken = await browser.follow(opened)
    expect(taken.status).to.equal(302)
    expect(taken.location).to.equal(`${DRIVE}/a?b`)
    expect(taken.headers['cache-control']).to.equal('no-store')
    expect(taken.setCookie('__Host-svcapp')?.attributes).to.deep.equal({
      path: '/',
      httponly: true,
      samesite: 'Lax',
      secure: true,
    })
    const page = await browser.follow(taken)
    const { session } = page.json<AppAnswer>()
    expect(session).to.equal((await server.ui.owners.listSessions(instance))[0]?.id)
    // The session of the app host and that of the instance are one: its token works on the instance.
    const { 'data-svc-token': token } = page.json<AppAnswer>()
    const used = await browser.request('DELETE', '/auth/login', {
      from: DRIVE,
      headers: { authorization: `Bearer ${token}` },
    })
    expect(used.status).to.equal(204)
    expect((await browser.get(`${DRIVE}/`)).status).to.equal(302)
  })

  it('get a code from GET /auth/login of a logged-in browser, and from home', async () => {
    await logIn(browser)
    const visit = await browser.get('/auth/login?redirect=drive')
    expect(visit.location).to.match(/^https:\/\/alice-drive\.example\.com\/\?session_code=\w{32}#$/)
    const home = await browser.get('/')
    expect(home.location).to.match(/^https:\/\/alice-home\.example\.com\/\?session_code=\w{32}#$/)
    const head = await browser.request('HEAD', '/auth/login?redirect=drive')
    expect(head.location).to.equal('https://alice-drive.example.com/#')
  })

  it('give a long session a long cookie', async () => {
    const answer = await logIn(browser, { redirect: 'drive', 'long-run-session': 'on' })
    const cookie = (await browser.follow(answer)).setCookie('__Host-svcapp')
    expect(cookie?.attributes['max-age']).to.equal('34560000')
  })

  const open = (who: BrowserClient, origin: string, code: string): Promise<BrowserResponse> =>
    who.get(`${origin}/x?session_code=${code}`)

  const dead: readonly [what: string, code: () => Promise<string>][] = [
    ['unknown', async () => 'A'.repeat(32)],
    ['malformed', async () => 'x'],
    ['empty', async () => ''],
    [
      'used',
      async () => {
        const code = await mint()
        await open(browser.another(), DRIVE, code)
        return code
      },
    ],
    [
      'over 60 s old',
      async () => {
        const code = await mint()
        server.clock.advance(60_001)
        return code
      },
    ],
    [
      'of a session that ended',
      async () => {
        const code = await mint()
        await server.ui.owners.deleteAllSessions(instance)
        return code
      },
    ],
  ]
  for (const [what, make] of dead) {
    it(`take no code that is ${what}, and lead to the login without it`, async () => {
      const answer = await open(browser.another(), DRIVE, await make())
      expect(answer.status).to.equal(302)
      expect(answer.setCookie('__Host-svcapp')).to.equal(undefined)
      expect(answer.location).to.equal(
        `${ALICE}/auth/login?redirect=${encodeURIComponent(`${DRIVE}/x`)}`,
      )
    })
  }

  it('leave a code alone on the wrong app, so that it works on the right one', async () => {
    const code = await mint()
    const stranger = browser.another()
    expect((await open(stranger, NOTES, code)).setCookies).to.deep.equal([])
    expect((await open(stranger, DRIVE, code)).setCookie('__Host-svcapp')).not.to.equal(undefined)
  })

  it('consume nothing on HEAD', async () => {
    const code = await mint()
    const stranger = browser.another()
    const head = await stranger.request('HEAD', `${DRIVE}/x?session_code=${code}`)
    expect(head.setCookies).to.deep.equal([])
    expect((await open(stranger, DRIVE, code)).setCookie('__Host-svcapp')).not.to.equal(undefined)
  })

  it('take the code of an instance nowhere else', async () => {
    await server.ui.owners.createInstance({ domain: 'bob.example.com' }, 'x')
    const answer = await open(browser.another(), 'https://bob-drive.example.com', await mint())
    expect(answer.setCookies).to.deep.equal([])
  })

  it('stop after five codes in a minute for one session and app: cookies seem blocked', async () => {
    await logIn(browser)
    const ask = (slug: string, headers = {}): Promise<BrowserResponse> =>
      browser.get(`/auth/login?redirect=${slug}`, { headers })
    for (let at = 0; at < 5; at += 1) expect((await ask('drive')).status).to.equal(302)
    const page = await ask('drive')
    expect(page.status).to.equal(400)
    expect(page.contentType).to.equal('text/html')
    const json = await ask('drive', { accept: 'application/json' })
    expect(json.json()).to.include({ code: 'cookies_blocked' })
    expect((await ask('home')).status).to.equal(302)
    server.clock.advance(60_001)
    expect((await ask('drive')).status).to.equal(302)
  })
})

describe('errors of a login that is there already (login.md 10.4)', () => {
  it('carry no session cookie, not even that of a long session used again', async () => {
    const lifetimes = { sessionTouch: 10_000 }
    const server = await startUi({ oauth: { subdomains: 'flat' }, ui: { lifetimes } })
    await createAlice(server)
    const browser = server.browser()
    await logIn(browser, { 'long-run-session': 'on' })
    const ask = (): Promise<BrowserResponse> => browser.get('/auth/login?redirect=drive')
    for (let at = 0; at < 5; at += 1) expect((await ask()).status).to.equal(302)
    server.clock.advance(15_000)
    const refused = await ask()
    expect(refused.status).to.equal(400)
    expect(refused.setCookie('__Host-svcsessid')).to.equal(undefined)
  })
})
