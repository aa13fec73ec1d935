import type { BrowserClient, RequestOptions } from '@svc/testkit'
import { expect } from 'chai'
import {
  ALICE,
  logIn,
  LOGIN_VALUE,
  startUi,
  type UiServer,
  withAlice,
} from '../support/ui-server.ts'

const APP = 'https://drive.alice.example.com'

describe('origin and CSRF rules (login.md 4.4)', () => {
  let server: UiServer
  let browser: BrowserClient
  beforeEach(async () => {
    ;({ server, browser } = await withAlice(startUi()))
  })

  const bare = { 'sec-fetch-site': undefined, origin: undefined }
  const refused: readonly [what: string, options: RequestOptions][] = [
    ['another site', { from: 'https://evil.example' }],
    ["an app of the owner's", { from: APP }],
    ['a sibling instance', { from: 'https://bob.example.com' }],
    ['Origin alone, foreign', { headers: { ...bare, origin: 'https://evil.example' } }],
    ['Origin null', { headers: { ...bare, origin: 'null' } }],
    ['Origin with another scheme', { headers: { ...bare, origin: 'http://alice.example.com' } }],
    ['Origin with a port', { headers: { ...bare, origin: `${ALICE}:8443` } }],
    ['Sec-Fetch-Site same-site', { headers: { ...bare, 'sec-fetch-site': 'same-site' } }],
    ['an unknown Sec-Fetch-Site', { headers: { ...bare, 'sec-fetch-site': 'x' } }],
  ]
  for (const [what, options] of refused) {
    it(`answers 403 to a form from ${what}, and counts nothing`, async () => {
      for (let at = 0; at < 21; at += 1) {
        const answer = await browser.post('/auth/login', { passphrase: 'wrong' }, options)
        expect(answer.status).to.equal(403)
      }
      const headers = { ...options.headers, accept: 'application/json' }
      const json = await browser.post('/auth/login', {}, { ...options, headers })
      expect(json.json()).to.include({ code: 'cross_origin' })
      expect((await logIn(browser)).status).to.equal(302)
    })
  }

  const accepted: readonly [what: string, options: RequestOptions][] = [
    ['the instance', { from: 'same-origin' }],
    ['the address bar', { from: 'address-bar' }],
    ['nowhere', { headers: bare }],
    ['Origin alone, own', { headers: { ...bare, origin: ALICE } }],
  ]
  for (const [what, options] of accepted) {
    it(`lets a form from ${what} through`, async () => {
      const answer = await browser.post('/auth/login', { passphrase: LOGIN_VALUE }, options)
      expect(answer.status).to.equal(302)
    })
  }

  it('verifies a csrf_token that is there, and asks for none', async () => {
    const page = (await browser.get('/auth/login')).page()
    const token = page.form('/auth/login').value('csrf_token') ?? ''
    const statuses: number[] = []
    for (const csrf_token of [token, undefined, `${token.slice(1)}x`, '']) {
      statuses.push((await logIn(browser.another(), { csrf_token })).status)
      statuses.push((await logIn(browser, { csrf_token })).status)
    }
    // Another browser has no such cookie: only a form without a token passes there.
    expect(statuses).to.deep.equal([403, 302, 302, 302, 403, 403, 403, 403])
  })

  it('keeps the token for its hour, also across the login', async () => {
    const tokenOf = async (): Promise<string | undefined> => browser.cookie('__Host-csrf')?.value
    await browser.get('/auth/login')
    const first = await tokenOf()
    expect(first).to.match(/^[A-Za-z0-9_-]{32}$/)
    await browser.get('/auth/login')
    expect(await tokenOf()).to.equal(first)
    expect((await logIn(browser, { csrf_token: first ?? '' })).status).to.equal(302)
    expect((await logIn(browser, { csrf_token: first ?? '' })).status).to.equal(302)
    const cookie = (await browser.another().get('/auth/login')).setCookie('__Host-csrf')
    expect(cookie?.attributes).to.deep.equal({
      path: '/',
      'max-age': '3600',
      httponly: true,
      samesite: 'Lax',
      secure: true,
    })
    expect(cookie?.value).not.to.equal(first)
  })

  it('never adopts a token that the browser was given by somebody else', async () => {
    for (const planted of ['a'.repeat(32), 'short', '']) {
      browser.plantCookie(`__Host-csrf=${planted}; Path=/; Secure`)
      const token = (await browser.get('/auth/login'))
        .page()
        .form('/auth/login')
        .value('csrf_token')
      expect(token).not.to.equal(planted)
      expect(browser.cookie('__Host-csrf')?.value).to.equal(token)
    }
  })

  it('works over http with its own name', async () => {
    await server.ui.owners.createInstance({ domain: 'alice.localhost:8080' }, 'a passphrase')
    const plain = server.browser('http://alice.localhost:8080')
    const answer = await plain.get('/auth/login')
    expect(answer.setCookie('_csrf')?.attributes).to.not.have.property('secure')
    const token = answer.page().form('/auth/login').value('csrf_token')
    expect((await plain.post('/auth/login', { csrf_token: token ?? '' })).status).to.equal(401)
    expect((await plain.post('/auth/login', { csrf_token: 'x' })).status).to.equal(403)
  })
})

describe('forms (security.md 27)', () => {
  it('all have a rule of origin, but those that no cookie and no owner stands behind', async () => {
    const server = await startUi()
    const without = server.ui.rows
      .filter(({ body, csrf }) => body?.types.includes('form') === true && csrf === undefined)
      .map(({ method, path }) => `${method} ${path}`)
    expect(without).to.deep.equal(
      server.ui.rows
        .filter(({ path }) => path.endsWith('/share-by-link/password'))
        .map(({ method, path }) => `${method} ${path}`),
    )
  })
})

describe('CORS (login.md 4.5, D28)', () => {
  let browser: BrowserClient
  beforeEach(async () => {
    ;({ browser } = await withAlice(startUi()))
  })

  const preflight = (path: string, method: string, from: string) =>
    browser.request('OPTIONS', path, {
      from,
      credentials: false,
      headers: { 'access-control-request-method': method },
    })

  for (const path of ['/auth/login', '/auth/login/others']) {
    it(`lets the instance's own apps preflight DELETE ${path}`, async () => {
      const answer = await preflight(path, 'DELETE', APP)
      expect(answer.status).to.equal(204)
      expect(answer.headers).to.include({
        'access-control-allow-origin': APP,
        'access-control-allow-credentials': 'true',
        'access-control-allow-methods': 'DELETE',
        'access-control-max-age': '43200',
      })
      expect(answer.headers.vary).to.include('Origin')
      const refusal = await browser.request('DELETE', path, { from: APP })
      expect(refusal.status).to.equal(401)
      expect(refusal.headers['access-control-allow-origin']).to.equal(APP)
    })

    for (const origin of ['https://evil.example', 'https://drive.bob.example.com', 'null']) {
      it(`tells ${origin} nothing about ${path}`, async () => {
        const answer = await preflight(path, 'DELETE', origin)
        expect(answer.headers['access-control-allow-origin']).to.equal(undefined)
        expect(answer.headers['access-control-allow-credentials']).to.equal(undefined)
      })
    }
  }

  const closed: readonly [method: string, path: string][] = [
    ['GET', '/'],
    ['GET', '/auth/login'],
    ['POST', '/auth/login'],
    ['GET', '/auth/passphrase'],
    ['POST', '/settings/passphrase'],
    ['GET', '/public/prelogin'],
  ]
  for (const [method, path] of closed) {
    it(`sends no CORS header for ${method} ${path}`, async () => {
      const asked = await preflight(path, method, APP)
      expect(asked.status).to.equal(405)
      expect(asked.headers).to.not.have.any.keys(
        'access-control-allow-origin',
        'access-control-allow-methods',
      )
      const answer = await browser.request(method, path, { from: APP })
      expect(answer.headers).to.not.have.property('access-control-allow-origin')
    })
  }
})
