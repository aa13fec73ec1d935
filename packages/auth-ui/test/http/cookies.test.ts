import { expect } from 'chai'
import { createSession } from 'koa-session'
import { deriveLoginValue } from '../../src/index.ts'
import {
  ALICE,
  createAlice,
  logIn,
  startUi,
  type UiServer,
  withAlice,
} from '../support/ui-server.ts'

describe('session cookies (login.md 3.5)', () => {
  let server: UiServer

  const shared = { path: '/', httponly: true, samesite: 'Lax' }

  it('cover the app hosts of nested subdomains', async () => {
    ;({ server } = await withAlice(startUi()))
    const browser = server.browser()
    const cookie = (await logIn(browser)).setCookie('svcsessid')
    expect(cookie?.attributes).to.deep.equal({
      ...shared,
      domain: 'alice.example.com',
      secure: true,
    })
    expect(browser.cookie('svcsessid', 'https://drive.alice.example.com')).not.to.equal(undefined)
    expect(browser.cookie('svcsessid', 'https://bob.example.com')).to.equal(undefined)
  })

  it('stay on their host with flat subdomains', async () => {
    ;({ server } = await withAlice(startUi({ oauth: { subdomains: 'flat' } })))
    const browser = server.browser()
    const cookie = (await logIn(browser)).setCookie('__Host-svcsessid')
    expect(cookie?.attributes).to.deep.equal({ ...shared, secure: true })
    expect(browser.cookie('__Host-svcsessid')).not.to.equal(undefined)
    expect(browser.cookie('__Host-svcsessid', 'https://alice-drive.example.com')).to.equal(
      undefined,
    )
  })

  it('leave Secure and the prefix away over http', async () => {
    server = await startUi({ oauth: { subdomains: 'flat' } })
    await server.ui.owners.createInstance({ domain: 'alice.localhost:8080' }, 'x')
    const browser = server.browser('http://alice.localhost:8080')
    const value = await deriveLoginValue('x', 'me@alice.localhost', 650_000)
    const answer = await browser.post('/auth/login', { passphrase: value })
    expect(answer.setCookie('svcsessid')?.attributes).to.deep.equal(shared)
  })

  it('name the domain without its port', async () => {
    server = await startUi()
    await server.ui.owners.createInstance({ domain: 'alice.localhost:8080' }, 'x')
    const browser = server.browser('http://alice.localhost:8080')
    const value = await deriveLoginValue('x', 'me@alice.localhost', 650_000)
    const answer = await browser.post('/auth/login', { passphrase: value })
    expect(answer.setCookie('svcsessid')?.attributes).to.deep.equal({
      ...shared,
      domain: 'alice.localhost',
    })
  })

  it('last as long as their kind says', async () => {
    ;({ server } = await withAlice(startUi()))
    const maxAge = async (fields: Record<string, string>): Promise<string | true | undefined> =>
      (await logIn(server.browser(), fields)).setCookie('svcsessid')?.attributes['max-age']
    expect(await maxAge({})).to.equal(undefined)
    for (const value of ['1', 'true', 'on']) {
      expect(await maxAge({ 'long-run-session': value })).to.equal('34560000')
    }
    expect(await maxAge({ 'long-run-session': '0' })).to.equal(undefined)
    const redirect = `${ALICE}/auth/authorize?client_id=x`
    expect(await maxAge({ redirect, 'long-run-session': '1' })).to.equal('300')
    expect(await maxAge({ redirect: `${redirect}&scope=login` })).to.equal(undefined)
  })

  it('last no longer than what they stand for, and never no time at all', async () => {
    ;({ server } = await withAlice(
      startUi({ ui: { lifetimes: { longSession: 2600, csrf: 400 } } }),
    ))
    const session = await logIn(server.browser(), { 'long-run-session': '1' })
    expect(session.setCookie('svcsessid')?.attributes['max-age']).to.equal('2')
    const form = await server.browser().get('/auth/login')
    expect(form.setCookie('__Host-csrf')?.attributes['max-age']).to.equal('1')
  })

  it('are found among planted ones, of which at most four come first', async () => {
    ;({ server } = await withAlice(startUi()))
    const real = (await logIn(server.browser())).setCookie('svcsessid')?.value ?? ''
    const status = async (cookie: string): Promise<number> =>
      (await server.browser().get('/auth/login', { headers: { cookie } })).status
    expect(await status(`svcsessid=${real}`)).to.equal(302)
    expect(await status(`svcsessid=x; svcsessid="; svcsessid=${real}; other=1`)).to.equal(302)
    const four = Array.from({ length: 4 }, (_, at) => `svcsessid=planted${at}`).join('; ')
    expect(await status(`${four}; svcsessid=${real}`)).to.equal(302)
    expect(await status(`${four}; svcsessid=more; svcsessid=${real}`)).to.equal(200)
  })

  const invalid: readonly string[] = [
    '',
    'x',
    '%ff',
    'A'.repeat(96),
    'A'.repeat(5000),
    '0123456789abcdef0123456789abcdef',
    '__proto__',
  ]
  for (const value of invalid) {
    it(`mean "not logged in" when they are ${JSON.stringify(value.slice(0, 20))}`, async () => {
      ;({ server } = await withAlice(startUi()))
      const headers = { cookie: `svcsessid=${value}` }
      const answer = await server.browser().get('/auth/login', { headers })
      expect(answer.status).to.equal(200)
      expect(answer.setCookie('svcsessid')).to.equal(undefined)
    })
  }

  it('of one instance mean nothing to another', async () => {
    ;({ server } = await withAlice(startUi()))
    await server.ui.owners.createInstance({ domain: 'bob.example.com' }, 'x')
    const cookie = `svcsessid=${(await logIn(server.browser())).setCookie('svcsessid')?.value}`
    const bob = server.browser('https://bob.example.com')
    expect((await bob.get('/auth/login', { headers: { cookie } })).status).to.equal(200)
  })

  it("live beside the embedding application's own koa-session", async () => {
    server = await startUi({
      own: (app) => {
        app.keys = ['a key of the application']
        app.use(createSession({ key: 'own' }, app))
        app.use(async (ctx, next) => {
          const own = ctx['session'] as { visits?: number }
          own.visits = (own.visits ?? 0) + 1
          await next()
          ctx.set('X-Visits', String(own.visits))
        })
      },
    })
    await createAlice(server)
    const browser = server.browser()
    const first = await logIn(browser)
    expect(first.headers['x-visits']).to.equal('1')
    expect(first.setCookies.map(({ name }) => name)).to.include.members(['own', 'svcsessid'])
    const second = await browser.get('/auth/login')
    expect(second.status).to.equal(302)
    expect(second.headers['x-visits']).to.equal('2')
  })

  it('cannot be moved between hosts of flat subdomains', async () => {
    ;({ server } = await withAlice(startUi({ oauth: { subdomains: 'flat' } })))
    const value = (await logIn(server.browser())).setCookie('__Host-svcsessid')?.value
    const app = server.browser('https://alice-drive.example.com')
    const answer = await app.get('/', { headers: { cookie: `__Host-svcapp=${value}` } })
    expect(answer.status).to.equal(302)
  })
})
