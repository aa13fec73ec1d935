import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { parsePage } from '@svc/testkit'
import { initialsOf, VIEWS } from '../../src/views.ts'
import { SAMPLES } from '../support/sample-models.ts'
import { type SampleServer, sampleServer } from '../support/sample-server.ts'

const folder = fileURLToPath(new URL('../../views', import.meta.url))

describe('views', () => {
  let server: SampleServer
  before(async () => {
    server = await sampleServer()
  })
  after(() => server.close())

  const get = (name: string, query = ''): Promise<Response> =>
    fetch(`${server.origin}/${name}${query}`)

  it('are the files of the folder', () => {
    const parts = ['layout.njk', 'parts.njk']
    const files = readdirSync(folder).filter((name) => !parts.includes(name))
    expect(files.sort()).to.deep.equal(VIEWS.map((view) => `${view}.njk`).sort())
  })

  for (const name of Object.keys(SAMPLES)) {
    it(`${name}: says where one is, has one heading, nothing inline, no hole`, async () => {
      const html = await (await get(name)).text()
      const page = parsePage(html, server.origin)
      expect(page.text).to.include('Alice Martin').and.to.include('alice.example.com')
      expect(page.elements('h1')).to.have.lengthOf(1)
      expect(html).to.match(/^<!doctype html>\s*<html lang="en" dir="ltr">/u)
      expect(html).to.not.match(
        /\son[a-z]+=|\sstyle=|<script(?![^>]*\ssrc=)|undefined|\[object|NaN/u,
      )
      // The code of an app that is certified is no deed of a session: its form has a secret of its own (oauth.md 4.6).
      // Whoever has the link of a mail may end these mails, in any browser (RFC 8058).
      const own = /(?:\/flagship|\/unsubscribe\?t=.+)$/u
      const forms = page.forms.filter(({ action }) => !own.test(action))
      for (const form of forms) expect(form.value('csrf_token')).to.match(/^c{32}$/u)
    })
  }

  it('speaks the language of the instance and says so', async () => {
    const french = await sampleServer({ locale: 'fr-CA' })
    try {
      const response = await fetch(`${french.origin}/login`, {
        headers: { 'Accept-Language': 'de' },
      })
      expect(response.headers.get('content-language')).to.equal('fr')
      expect(await response.text())
        .to.include('<html lang="fr"')
        .and.to.include('Phrase secrète')
    } finally {
      await french.close()
    }
  })

  const expectedCsp = (formAction: string): string =>
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
    `base-uri 'none'; object-src 'none'; frame-ancestors 'none'; form-action 'self'${formAction}`

  const headers: readonly [name: string, csp: string, coop: string][] = [
    ['login', expectedCsp(' http://home.alice.localhost:8080'), 'unsafe-none'],
    ['consent', expectedCsp(' http://home.alice.localhost:8080'), 'unsafe-none'],
    ['choose', expectedCsp(' http://home.alice.localhost:8080'), 'same-origin'],
  ]
  for (const [name, csp, coop] of headers) {
    it(`${name} carries the page headers`, async () => {
      const sent = (await get(name)).headers
      expect(sent.get('content-security-policy')).to.equal(csp)
      expect(sent.get('cross-origin-opener-policy')).to.equal(coop)
      expect(sent.get('x-frame-options')).to.equal('DENY')
      expect(sent.get('referrer-policy')).to.equal('same-origin')
      expect(sent.get('x-content-type-options')).to.equal('nosniff')
      expect(sent.get('cache-control')).to.equal('no-store')
      expect(sent.get('content-type')).to.equal('text/html; charset=utf-8')
    })
  }

  it('gives the out-of-band page its title, no script and nothing to load', async () => {
    const response = await get('out-of-band')
    const html = await response.text()
    expect(html).to.include(
      '<title>Success code=Xb8s_93kdLq0-2mVnYw7RtZp&amp;state=a&amp;b&lt;c&gt;&quot;d</title>',
    )
    expect(parsePage(html, server.origin).title).to.equal(
      'Success code=Xb8s_93kdLq0-2mVnYw7RtZp&state=a&b<c>"d',
    )
    expect(html).to.not.match(/<script|<link|<img|src=/u)
    expect(response.headers.get('content-security-policy')).to.match(
      /^default-src 'none'; style-src 'sha256-[A-Za-z0-9+/]{43}='; base-uri 'none'/u,
    )
  })

  for (const name of ['error-not-found', 'blocked', 'cookies-blocked']) {
    it(`lets the page ${name} load nothing, since its host may have no files of ours`, async () => {
      const response = await get(name)
      const html = await response.text()
      expect(html).to.include('<style>')
      expect(html).to.not.match(/<script|<link|<img|src=/u)
      expect(response.headers.get('content-security-policy')).to.match(
        /^default-src 'none'; style-src 'sha256-[A-Za-z0-9+/]{43}='; base-uri 'none'/u,
      )
      expect(response.headers.get('x-frame-options')).to.equal('DENY')
    })
  }

  it('keeps the status that the caller set', async () => {
    expect((await get('error-not-found')).status).to.equal(404)
    expect((await get('blocked')).status).to.equal(503)
    expect((await get('login')).status).to.equal(200)
  })

  it('gives the login form everything a browser and a password manager need', async () => {
    const html = await (await get('login')).text()
    const form = parsePage(html, server.origin).form('/auth/login')
    expect(form.method).to.equal('POST')
    expect(html).to.include('data-salt="me@alice.example.com" data-iterations="50000"')
    expect(html).to.match(/autocomplete="username" value="alice\.example\.com"/u)
    expect(html).to.match(/name="passphrase" autocomplete="current-password webauthn"/u)
    expect(html).to.match(/<button class="[^"]*" type="submit" disabled>Log in/u)
    expect(html).to.include('<noscript>')
  })

  it('leaves the checkbox out where the session is short anyway', async () => {
    const html = await (await get('login-authorize')).text()
    expect(html).to.not.include('long-run-session')
  })
})

describe('error pages', () => {
  let server: SampleServer
  before(async () => {
    server = await sampleServer()
  })
  after(() => server.close())

  const cases: readonly [name: string, title: string, way: string][] = [
    ['error-link-used', 'This link no longer works', 'Ask for a new link'],
    ['error-magic-used', 'This link no longer works', 'Log in'],
    ['error-step-expired', 'This step has ended', 'Log in'],
    ['error-csrf', 'Open this page again', 'Try again'],
    ['error-factor-needed', 'Add another way to log in first', 'Go to your space'],
    ['error-login-first', 'Log in first', 'Log in'],
    ['cookies-blocked', 'Cookies seem to be blocked', 'Try again'],
  ]
  for (const [name, title, way] of cases) {
    it(`${name}: says "${title}" and leads on with "${way}"`, async () => {
      const html = await (await fetch(`${server.origin}/${name}`)).text()
      expect(parsePage(html, server.origin).text).to.include(title)
      // One way on, and none beside it.
      const links = [...html.matchAll(/<a [^>]*>([^<]*)<\/a>/gu)].map(([, text]) => text)
      expect(links).to.deep.equal([way])
    })
  }
})

describe('initialsOf', () => {
  const cases: readonly [name: string, initials: string][] = [
    ['Drive for Android', 'DF'],
    ['notes', 'N'],
    ['  (beta) ', 'B'],
    ['élan vital', 'ÉV'],
    ['تطبيق الملفات', 'تا'],
    ['𝔘nicode', '𝔘'],
    ['!?', '·'],
    ['', '·'],
  ]
  for (const [name, initials] of cases) {
    it(`answers ${initials} for "${name}"`, () => {
      expect(initialsOf(name, 2)).to.equal(initials)
    })
  }
})
