import type { BrowserClient } from '@svc/testkit'
import { expect } from 'chai'
import {
  ALICE,
  logIn,
  LOGIN_VALUE,
  startUi,
  type UiServer,
  withAlice,
} from '../support/ui-server.ts'

const JSON_ONLY = { accept: 'application/json' }

describe('GET /auth/login', () => {
  let browser: BrowserClient
  beforeEach(async () => {
    ;({ browser } = await withAlice(startUi()))
  })

  it('shows the form with salt and iterations, and opens no session', async () => {
    const answer = await browser.get('/auth/login')
    expect(answer.status).to.equal(200)
    expect(answer.contentType).to.equal('text/html')
    expect(answer.headers['cache-control']).to.equal('no-store')
    expect(answer.headers['referrer-policy']).to.equal('same-origin')
    expect(answer.headers.vary).to.equal('Cookie, Accept')
    const page = answer.page()
    expect(page.attribute('data-salt')).to.equal('me@alice.example.com')
    expect(page.attribute('data-iterations')).to.equal('50000')
    const form = page.form('/auth/login')
    expect(form.method).to.equal('POST')
    expect(form.value('redirect')).to.equal('')
    expect(form.value('csrf_token')).to.match(/^[A-Za-z0-9_-]{32}$/)
    expect(form.value('trusted-device-token')).to.equal('')
    expect(form.inputs).to.include.members(['passphrase', 'long-run-session'])
    expect(answer.setCookies.map(({ name }) => name)).to.deep.equal(['__Host-csrf'])
  })

  it('keeps a valid redirect, normalised', async () => {
    const answer = await browser.get(`/auth/login?redirect=${encodeURIComponent('drive/a#/b')}`)
    expect(answer.page().form('/auth/login').value('redirect')).to.equal(
      'https://drive.alice.example.com/a#/b',
    )
    expect(answer.headers['content-security-policy']).to.include(
      "form-action 'self' https://drive.alice.example.com",
    )
  })

  it('offers no long session on the way to an authorization', async () => {
    const target = encodeURIComponent(`${ALICE}/auth/authorize?client_id=x`)
    const form = (await browser.get(`/auth/login?redirect=${target}`)).page().form('/auth/login')
    expect(form.inputs).to.include('passphrase')
    expect(form.inputs).not.to.include('long-run-session')
  })

  it('carries a well-formed email_verified_code', async () => {
    const code = 'a'.repeat(32)
    const answer = await browser.get(`/auth/login?email_verified_code=${code}`)
    expect(answer.page().form('/auth/login').value('email_verified_code')).to.equal(code)
  })

  it('takes another heading after a reset was asked for, and ignores other messages', async () => {
    const plain = (await browser.get('/auth/login')).page().text
    const other = (await browser.get('/auth/login?msg=other')).page().text
    const reset = (await browser.get('/auth/login?msg=passphrase-reset-requested')).page().text
    expect(other).to.equal(plain)
    expect(reset).not.to.equal(plain)
  })

  const refused: readonly [what: string, query: string][] = [
    ['a foreign redirect', 'redirect=https%3A%2F%2Fevil.com%2F'],
    ['a redirect to an app that is not installed', 'redirect=unknown'],
    ['a redirect that is not UTF-8', 'redirect=%ff'],
    ['a repeated redirect', 'redirect=drive&redirect=drive'],
    ['a short email_verified_code', 'email_verified_code=abc'],
    ['an email_verified_code with other characters', `email_verified_code=${'-'.repeat(32)}`],
  ]
  for (const [what, query] of refused) {
    it(`answers 400 to ${what}`, async () => {
      const answer = await browser.get(`/auth/login?${query}`)
      expect(answer.status).to.equal(400)
      expect(answer.contentType).to.equal('text/html')
      expect(answer.text).not.to.include('https://evil.com')
      const json = await browser.get(`/auth/login?${query}`, { headers: JSON_ONLY })
      expect(json.status).to.equal(400)
      expect(json.json()).to.have.keys('error', 'code')
    })
  }

  const targets: readonly [redirect: string, location: string][] = [
    ['', 'https://home.alice.example.com/#'],
    ['drive/a?b#c', 'https://drive.alice.example.com/a?b#'],
    [`${ALICE}/auth/authorize?x=y#z`, `${ALICE}/auth/authorize?x=y#`],
  ]
  for (const [redirect, location] of targets) {
    it(`sends a logged-in browser from ${redirect || 'nowhere'} to ${location}`, async () => {
      await logIn(browser)
      const answer = await browser.get(`/auth/login?redirect=${encodeURIComponent(redirect)}`)
      expect(answer.status).to.equal(302)
      expect(answer.location).to.equal(location)
      expect(answer.setCookies).to.deep.equal([])
    })
  }

  it('answers HEAD like GET, with no cookie', async () => {
    for (const path of ['/auth/login', '/auth/confirm?state=x']) {
      const answer = await browser.request('HEAD', path)
      expect(answer.status, path).to.equal(200)
      expect(answer.body).to.have.lengthOf(0)
      expect(answer.setCookies).to.deep.equal([])
    }
  })
})

describe('POST /auth/login', () => {
  let server: UiServer
  let browser: BrowserClient
  beforeEach(async () => {
    ;({ server, browser } = await withAlice(startUi()))
  })

  const locations: readonly [redirect: string | undefined, location: string][] = [
    [undefined, 'https://home.alice.example.com/'],
    ['', 'https://home.alice.example.com/'],
    ['drive/a#/b', 'https://drive.alice.example.com/a#/b'],
    ['https://drive.alice.example.com/?a', 'https://drive.alice.example.com/?a'],
    [`${ALICE}/x#y`, `${ALICE}/x#`],
  ]
  for (const [redirect, location] of locations) {
    it(`answers 302 to ${location} with a cookie`, async () => {
      const answer = await logIn(browser, { redirect })
      expect(answer.status).to.equal(302)
      expect(answer.location).to.equal(location)
      expect(answer.setCookie('svcsessid')?.value).to.have.lengthOf(96)
    })
  }

  it('answers 200 {redirect} with a cookie to a client that prefers JSON', async () => {
    const answer = await logIn(browser, { redirect: 'drive' }, JSON_ONLY)
    expect(answer.status).to.equal(200)
    expect(answer.contentType).to.equal('application/json')
    expect(answer.json()).to.deep.equal({ redirect: 'https://drive.alice.example.com/' })
    expect(answer.setCookie('svcsessid')).not.to.equal(undefined)
  })

  for (const accept of [undefined, '*/*', 'text/html', 'text/html, application/json']) {
    it(`answers 302 when Accept is ${accept}`, async () => {
      expect((await logIn(browser, {}, { accept })).status).to.equal(302)
    })
  }

  it('takes the redirect of the query when the body has none', async () => {
    const answer = await browser.post('/auth/login?redirect=drive', { passphrase: LOGIN_VALUE })
    expect(answer.location).to.equal('https://drive.alice.example.com/')
  })

  const wrong: readonly [what: string, passphrase: string | undefined][] = [
    ['a wrong passphrase', 'wrong'],
    ['an empty passphrase', ''],
    ['no passphrase', undefined],
    ['a passphrase over 1024 bytes', 'x'.repeat(1025)],
    ['the raw passphrase', 'correct horse battery staple'],
  ]
  for (const [what, passphrase] of wrong) {
    it(`answers 401 to ${what}, the same way`, async () => {
      const json = await logIn(browser, { passphrase }, JSON_ONLY)
      expect(json.status).to.equal(401)
      expect(json.json()).to.deep.equal({
        error: 'invalid passphrase',
        code: 'invalid_passphrase',
      })
      expect(json.headers['www-authenticate']).to.equal(undefined)
      const html = await logIn(browser, { passphrase, redirect: 'drive' })
      expect(html.status).to.equal(401)
      const form = html.page().form('/auth/login')
      expect(form.value('passphrase')).to.equal('')
      expect(form.value('redirect')).to.equal('https://drive.alice.example.com/')
      expect(browser.cookie('svcsessid')).to.equal(undefined)
    })
  }

  it('does not read the passphrase from the query', async () => {
    const secret = encodeURIComponent(LOGIN_VALUE)
    expect((await browser.post(`/auth/login?passphrase=${secret}`, {})).status).to.equal(401)
  })

  it('judges the redirect before it counts or checks anything', async () => {
    for (let at = 0; at < 25; at += 1) {
      const answer = await logIn(browser, { passphrase: 'wrong', redirect: 'https://evil.com' })
      expect(answer.status).to.equal(400)
    }
    expect((await logIn(browser)).status).to.equal(302)
  })

  it('upgrades an imported hash at the first login', async () => {
    await logIn(browser)
    expect(server.logged.map(([event]) => event)).to.include('passphrase.hash_upgraded')
    const before = server.logged.length
    expect((await logIn(browser.another())).status).to.equal(302)
    const events = server.logged.slice(before).map(([event]) => event)
    expect(events).to.include('login.succeeded')
    expect(events).not.to.include('passphrase.hash_upgraded')
  })
})
