import type { Instance } from '@svc/platform'
import { type BrowserResponse, relyingParty } from '@svc/testkit'
import { expect } from 'chai'
import { lastPasscode } from '../support/second-step.ts'
import {
  ALICE,
  createAlice,
  LOGIN_VALUE,
  logIn,
  startUi,
  type UiServer,
} from '../support/ui-server.ts'

const JSON_ONLY = { accept: 'application/json' }
const EVIL = 'https://evil.example'

describe('what codes that log in must never do (login.md 10)', () => {
  let server: UiServer
  let instance: Instance
  let client: { client_id: string; client_secret: string }
  beforeEach(async () => {
    server = await startUi()
    ;({ instance } = await createAlice(server))
    await server.ui.owners.setMagicLink(instance, true)
    const party = relyingParty({ issuer: ALICE, port: server.port })
    const { client_id, client_secret } = await party.register()
    client = { client_id, client_secret: String(client_secret) }
  })
  afterEach(() => server.close())

  const newLink = async (): Promise<string> =>
    (await server.ui.owners.createMagicLinkCode(instance)).code

  it('stand in the log or in an error, nor any other secret (1)', async () => {
    const { owners } = server.ui
    const secrets = [LOGIN_VALUE, client.client_secret]
    const refusals: BrowserResponse[] = []
    const browser = server.browser()

    await browser.post('/auth/magic_link', {})
    const mail = server.mails.at(-1)
    const url = mail?.template === 'magic_link' ? mail.variables.url : ''
    secrets.push(new URL(url).searchParams.get('code') ?? '')
    secrets.push(browser.cookie('__Secure-magic-request', url)?.value ?? '')
    await browser.get(url)
    refusals.push(await server.browser().get(url, { headers: JSON_ONLY }))

    const [sessionCode, magicCode] = [await owners.createSessionCode(instance), await newLink()]
    secrets.push(sessionCode, magicCode)
    await server.browser().get(`https://drive.alice.example.com/?session_code=${sessionCode}`)
    refusals.push(
      await server.browser().postJson('/auth/magic_link/flagship', {
        magic_code: magicCode,
        client_id: 'unknown',
        client_secret: client.client_secret,
      }),
    )

    await owners.setAuthMode(instance, 'two_factor_mail')
    const body = { ...client, passphrase: LOGIN_VALUE }
    const asked = await server.browser().postJson('/auth/login/flagship', body)
    const { two_factor_token } = asked.json<Record<string, string>>()
    const pair = { two_factor_token, two_factor_code: lastPasscode(server) }
    secrets.push(String(two_factor_token), pair.two_factor_code)
    const wrong = { ...body, ...pair, client_secret: `${client.client_secret}x` }
    refusals.push(await server.browser().postJson('/auth/login/flagship', wrong))
    await server.browser().postJson('/auth/login/flagship', { ...body, ...pair })
    refusals.push(await server.browser().postJson('/auth/login/flagship', { ...body, ...pair }))

    const log = JSON.stringify(server.logged)
    for (const secret of secrets) {
      expect(secret).to.have.length.greaterThan(5)
      expect(log).not.to.include(secret)
      for (const refusal of refusals) {
        expect(refusal.status).to.be.within(400, 499)
        expect(refusal.text).not.to.include(secret)
      }
    }
  })

  it('send a browser, or a code, to a host that is not the instance (1, 2)', async () => {
    const code = await newLink()
    const evil = [`${EVIL}/`, '//evil.example', `${ALICE}.evil.example/`, 'https://x@evil.example']
    for (const redirect of evil) {
      const query = new URLSearchParams({ code, redirect }).toString()
      const fields = { code, magic_code: code, passphrase: LOGIN_VALUE, redirect }
      const answers = [
        await server.browser().get(`/auth/magic_link?${query}`),
        await server.browser().post('/auth/magic_link', fields),
        await server.browser().post('/auth/magic_link/open', fields),
        await server.browser().post('/auth/magic_link/twofactor', fields),
      ]
      for (const answer of answers) {
        expect(answer.status).to.equal(400)
        expect(answer.location).to.equal(undefined)
        expect(answer.text).not.to.match(/(?:href|action)="(?:https?:)?\/\/[^"]*evil/)
      }
    }
    expect(server.mails).to.deep.equal([])
  })

  it('open a session by a GET that is none, or with a cookie of somebody else (3, 9)', async () => {
    const code = await newLink()
    for (const value of ['', 'a'.repeat(22), code]) {
      const headers = { cookie: `__Secure-magic-request=${value}; magic-request=${value}` }
      const answer = await server.browser().get(`/auth/magic_link?code=${code}`, { headers })
      expect([answer.status, answer.setCookie('svcsessid')]).to.deep.equal([200, undefined])
    }
    expect(await server.ui.owners.listSessions(instance)).to.deep.equal([])
  })

  it('be good on another instance (5)', async () => {
    const bob = await server.ui.owners.createInstance(
      { domain: 'bob.example.com' },
      'bob has one',
      {
        magicLink: true,
      },
    )
    const codes = [
      (await server.ui.owners.createMagicLinkCode(bob.instance)).code,
      await server.ui.owners.createSessionCode(bob.instance),
      await server.ui.owners.createEmailVerifiedCode(bob.instance),
    ]
    await server.ui.owners.setAuthMode(instance, 'two_factor_mail')
    for (const code of codes) {
      const browser = server.browser()
      const link = { magic_code: code, passphrase: LOGIN_VALUE }
      const app = { ...client, passphrase: LOGIN_VALUE, email_verified_code: code }
      const answers = [
        await browser.post('/auth/magic_link/twofactor', link),
        await browser.postJson('/auth/magic_link/flagship', { ...client, ...link }),
        await browser.postJson('/auth/login/flagship', app),
        await logIn(browser, { email_verified_code: code }, JSON_ONLY),
        await browser.get(`https://drive.alice.example.com/?session_code=${code}`),
      ]
      expect(answers.map(({ status }) => status)).to.deep.equal([401, 401, 401, 200, 302])
      expect(answers.map((answer) => answer.setCookie('svcsessid'))).to.deep.equal(
        Array.from({ length: 5 }, () => undefined),
      )
    }
  })

  it('be good for another purpose (5)', async () => {
    await server.ui.owners.setAuthMode(instance, 'two_factor_mail')
    const [magic, open, verified] = [
      await newLink(),
      await server.ui.owners.createSessionCode(instance),
      await server.ui.owners.createEmailVerifiedCode(instance),
    ]
    const app = { ...client, passphrase: LOGIN_VALUE }
    const browser = server.browser()
    for (const code of [open, verified]) {
      const answer = await browser.postJson('/auth/magic_link/flagship', {
        ...app,
        magic_code: code,
      })
      expect(answer.status).to.equal(401)
    }
    for (const code of [magic, open]) {
      const answer = await browser.postJson('/auth/login/flagship', {
        ...app,
        email_verified_code: code,
      })
      expect(answer.json()).to.have.property('two_factor_token')
    }
    for (const code of [magic, verified]) {
      const answer = await browser.get(`https://drive.alice.example.com/?session_code=${code}`)
      expect(answer.setCookies).to.deep.equal([])
    }
  })

  it('be used up by what is refused for its origin or its form (10)', async () => {
    const code = await newLink()
    const browser = server.browser()
    const path = '/auth/magic_link/open'
    const refused: readonly [status: number, Promise<BrowserResponse>][] = [
      [403, browser.post(path, { code }, { from: EVIL })],
      [403, browser.post(path, { code }, { from: 'https://drive.alice.example.com' })],
      [403, browser.post(path, { code, csrf_token: 'a'.repeat(32) })],
      [400, browser.post(path, { code: [code, code] })],
      [400, browser.post(`${path}?a=%ff`, { code })],
      [415, browser.postJson(path, { code })],
      [405, browser.request('PUT', path)],
    ]
    for (const [status, sent] of refused) {
      const answer = await sent
      expect(answer.status).to.equal(status)
      expect(answer.setCookie('svcsessid')).to.equal(undefined)
    }
    expect((await browser.post(path, { code })).status).to.equal(302)
  })

  it('bring 500 about, whatever they look like (11)', async () => {
    const browser = server.browser()
    const cookie = `__Secure-magic-request=${'x'.repeat(8000)}`
    for (const code of ['%00', '%f0%9f%98%80', '../../x', "'", 'a'.repeat(5000), '__proto__']) {
      const answers = [
        await browser.get(`/auth/magic_link?code=${code}`, { headers: { cookie } }),
        await browser.get(`https://drive.alice.example.com/?session_code=${code}`),
        await browser.get(`/auth/authorize?session_code=${code}`),
        await browser.post('/auth/magic_link/open', { code: decodeURIComponent(code) }),
        await browser.postJson('/auth/login/flagship', {
          ...client,
          client_id: decodeURIComponent(code),
          passphrase: LOGIN_VALUE,
          email_verified_code: decodeURIComponent(code),
        }),
      ]
      for (const { status, url } of answers) expect(status, url).to.be.lessThan(500)
    }
  })
})

describe('GET /auth/login with magic links on (login.md 5.1)', () => {
  it('offers to mail a link, with the target, unless a mail was verified already', async () => {
    const server = await startUi()
    const { instance } = await createAlice(server)
    const browser = server.browser()
    const offers = async (query = ''): Promise<boolean> =>
      (await browser.get(`/auth/login${query}`)).text.includes('action="/auth/magic_link"')
    expect(await offers()).to.equal(false)
    await server.ui.owners.setMagicLink(instance, true)
    expect(await offers(`?email_verified_code=${'a'.repeat(32)}`)).to.equal(false)
    const page = (await browser.get('/auth/login?redirect=drive')).page()
    expect(page.form('/auth/login').inputs).to.include('passphrase')
    const sent = await browser.submit(page.form('/auth/magic_link'))
    expect(sent.status).to.equal(200)
    const mail = server.mails.at(-1)
    expect(mail?.template === 'magic_link' && mail.variables.url).to.include(
      `&redirect=${encodeURIComponent('https://drive.alice.example.com/')}`,
    )
    await server.close()
  })
})
