import type { Instance } from '@svc/platform'
import { type BrowserResponse, relyingParty } from '@svc/testkit'
import { expect } from 'chai'
import { lastPasscode } from '../support/second-step.ts'
import { ALICE, LOGIN_VALUE, startUi, type UiServer, withAlice } from '../support/ui-server.ts'

type Body = Readonly<Record<string, unknown>>

const BOB = 'https://bob.example.com'

describe('a certified app', () => {
  let server: UiServer
  let instance: Instance
  let client: { client_id: string; client_secret: string }
  beforeEach(async () => {
    ;({ server, instance } = await withAlice(startUi()))
    await server.ui.owners.setMagicLink(instance, true)
    client = await registered(ALICE)
    await server.oauth.clients.setFlagship(instance, client.client_id, true)
  })

  async function registered(issuer: string) {
    const party = relyingParty({ issuer, port: server.port })
    const { client_id, client_secret } = await party.register()
    return { client_id, client_secret: String(client_secret) }
  }

  async function post(path: string, body: unknown, base = ALICE): Promise<BrowserResponse> {
    const answer = await server.browser(base).postJson(path, body, { from: 'address-bar' })
    expect(answer.setCookies).to.deep.equal([])
    expect(answer.headers['cache-control']).to.equal('no-store')
    return answer
  }

  /** The whole answer, and what it gives access to. @returns the tokens */
  async function expectTokens(answer: BrowserResponse, base = ALICE) {
    expect(answer.status, answer.text).to.equal(200)
    const { access_token = '', refresh_token = '', ...rest } = answer.json<Record<string, string>>()
    expect(rest).to.deep.equal({ token_type: 'bearer', expires_in: 86_400, scope: '*' })
    const made = await sessionCode(access_token, base)
    expect(made.status, made.text).to.equal(201)
    return { access_token, refresh_token }
  }

  const sessionCode = (token: string, base = ALICE): Promise<BrowserResponse> =>
    server.browser(base).request('POST', '/auth/session_code', {
      headers: { authorization: `Bearer ${token}` },
    })

  const refresh = (refreshToken: string, credentials = client): Promise<BrowserResponse> =>
    server.browser().post('/auth/access_token', {
      ...credentials,
      grant_type: 'refresh_token',
      refresh_token: refreshToken,
    })

  describe('POST /auth/login/flagship (login.md 5.1, oauth.md 7.3)', () => {
    const send = (body: Body = {}): Promise<BrowserResponse> =>
      post('/auth/login/flagship', { passphrase: LOGIN_VALUE, ...client, ...body })

    it('answers 200 with tokens for everything, in a grant of its own', async () => {
      const first = await expectTokens(await send())
      const second = await expectTokens(await send())
      expect(first.access_token).not.to.equal(second.access_token)
      const [, payload = ''] = first.access_token.split('.')
      const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Body
      expect(claims).to.include({
        iss: 'alice.example.com',
        aud: 'access',
        sub: client.client_id,
        scope: '*',
      })
      expect(Object.keys(claims)).to.have.members('iss aud sub scope iat exp jti gid'.split(' '))
      const { oauth } = server
      expect(await oauth.clients.get(instance, client.client_id)).to.include({ pending: false })
    })

    it('tells the owner of an app from a new place, and notes where it was', async () => {
      const news = async (): Promise<number> =>
        (await server.sentMails()).filter(({ template }) => template === 'new_connection').length
      const phone = { 'user-agent': 'Mozilla/5.0 (Linux; Android 15) Chrome/140.0.0.0 Mobile' }
      const log = async (): Promise<void> => {
        const body = { passphrase: LOGIN_VALUE, ...client }
        const answer = await server
          .browser(ALICE, phone)
          .postJson('/auth/login/flagship', body, { from: 'address-bar' })
        expect(answer.status).to.equal(200)
      }
      await expectTokens(await send())
      // The first login of all is no news.
      expect(await news()).to.equal(0)
      await log()
      expect(await news()).to.equal(1)
      server.clock.advance(2 * 3_600_000)
      await log()
      expect(await news()).to.equal(1)
    })

    it('gives a refresh token that is used like any other', async () => {
      const { refresh_token } = await expectTokens(await send())
      const answer = await refresh(refresh_token)
      expect(answer.status, answer.text).to.equal(200)
      expect(answer.json()).to.include({ scope: '*', token_type: 'bearer', refresh_token })
    })

    it('passes the second step first', async () => {
      await server.ui.owners.setAuthMode(instance, 'two_factor_mail')
      const asked = await send()
      expect(asked.status).to.equal(401)
      const { two_factor_token } = asked.json<Record<string, string>>()
      const two_factor_code = lastPasscode(server)
      const other = two_factor_code === '000000' ? '000001' : '000000'
      expect((await send({ two_factor_token, two_factor_code: other })).status).to.equal(403)
      await expectTokens(await send({ two_factor_token, two_factor_code }))
    })

    it('is told no by a host that forbids the login', async () => {
      const refusal = Object.assign(new Error(), { status: 403, code: 'forbidden', expose: true })
      const onLogin = (): void => {
        throw refusal
      }
      ;({ server, instance } = await withAlice(startUi({ ui: { hooks: { onLogin } } })))
      client = await registered(ALICE)
      await server.oauth.clients.setFlagship(instance, client.client_id, true)
      expect((await send()).status).to.equal(403)
    })

    it('gets a session code again, and nothing works any more, once the mark is withdrawn', async () => {
      const { access_token, refresh_token } = await expectTokens(await send())
      await server.oauth.clients.setFlagship(instance, client.client_id, false)
      const refused = await sessionCode(access_token)
      expect([refused.status, refused.json()]).to.deep.equal([
        401,
        { error: 'Not authorized', code: 'not_authorized' },
      ])
      expect(refused.headers['www-authenticate']).to.include('error="invalid_token"')
      const dead = await refresh(refresh_token)
      expect([dead.status, dead.json<Body>()['error']]).to.deep.equal([400, 'invalid_grant'])
      expect((await send()).status).to.equal(202)
      // Certified again it needs new tokens.
      await server.oauth.clients.setFlagship(instance, client.client_id, true)
      expect((await sessionCode(access_token)).status).to.equal(401)
      expect((await refresh(refresh_token)).status).to.equal(400)
    })

    it('loses what it has when it moves to other addresses (D21)', async () => {
      const party = relyingParty({ issuer: ALICE, port: server.port })
      const { client_id, client_secret, ...rest } = await party.register()
      await server.oauth.clients.setFlagship(instance, client_id, true)
      const credentials = { client_id, client_secret: String(client_secret) }
      const { access_token, refresh_token } = await expectTokens(await send(credentials))
      const moved = await server.browser().request('PUT', `/auth/register/${client_id}`, {
        headers: {
          authorization: `Bearer ${String(rest.registration_access_token)}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify({ client_id, redirect_uris: ['https://other.example/'] }),
      })
      expect(moved.status, moved.text).to.equal(200)
      expect((await sessionCode(access_token)).status).to.equal(401)
      const dead = await refresh(refresh_token, credentials)
      expect([dead.status, dead.json<Body>()['error']]).to.deep.equal([400, 'invalid_grant'])
    })
  })

  describe('POST /auth/magic_link/flagship (login.md 5.3)', () => {
    const makeCode = async (): Promise<string> =>
      (await server.ui.owners.createMagicLinkCode(instance)).code
    const send = (magic_code: string, body: Body = {}): Promise<BrowserResponse> =>
      post('/auth/magic_link/flagship', { magic_code, ...client, ...body })

    it('answers 200 with tokens, once', async () => {
      const code = await makeCode()
      await expectTokens(await send(code))
      const again = await send(code)
      expect(again.status).to.equal(401)
      expect(again.json()).to.include({ error: 'invalid magic code' })
    })

    it('gives exactly one of parallel requests its tokens', async () => {
      const code = await makeCode()
      const answers = await Promise.all(Array.from({ length: 8 }, () => send(code)))
      const statuses = answers.map(({ status }) => status).sort()
      expect(statuses).to.deep.equal([200, ...Array<number>(7).fill(401)])
      const tokens = server.logged.filter(([event]) => event === 'login.flagship')
      expect(tokens).to.have.lengthOf(1)
    })
  })

  describe('POST /settings/passphrase/flagship (login.md 5.5)', () => {
    let bob: Instance
    let fields: Record<string, unknown>
    beforeEach(async () => {
      bob = await server.oauth.instances.create({ domain: 'bob.example.com' })
      const url = await server.ui.owners.createOnboardingUrl(bob)
      const own = await registered(BOB)
      fields = {
        register_token: new URL(url).searchParams.get('registerToken'),
        passphrase: LOGIN_VALUE,
        iterations: 50_000,
        ...own,
      }
    })
    const send = (body: Body = {}): Promise<BrowserResponse> =>
      post('/settings/passphrase/flagship', { ...fields, ...body }, BOB)

    it('answers 202 with a session code to a client that is not certified', async () => {
      const answer = await send({ hint: 'a hint' })
      expect(answer.status, answer.text).to.equal(202)
      expect(answer.json<Body>()['session_code']).to.match(/^[A-Za-z0-9]{32}$/)
      expect((await send()).json()).to.include({ code: 'already_onboarded' })
    })

    it('answers 200 with tokens to a certified one', async () => {
      await server.oauth.clients.setFlagship(bob, String(fields['client_id']), true)
      await expectTokens(await send(), BOB)
    })

    const cases: readonly (readonly [string, Body, number, Body])[] = [
      ['no iterations', { iterations: undefined }, 400, { code: 'invalid_parameter' }],
      ['iterations of 0', { iterations: 0 }, 400, { code: 'invalid_parameter' }],
      ['too few iterations', { iterations: 10 }, 422, { code: 'kdf_iterations' }],
      ['words', { passphrase: 'plume cadran hibou' }, 400, { code: 'invalid_parameter' }],
      ['an empty passphrase', { passphrase: '' }, 400, { code: 'invalid_parameter' }],
      ['a wrong token', { register_token: 'ab' }, 400, { code: 'invalid_token' }],
      ['an unknown client', { client_id: 'x' }, 400, { error: 'the client must be registered' }],
      ['a wrong secret', { client_secret: 'x' }, 400, { error: 'invalid client_secret' }],
      ['no client', { client_id: undefined }, 400, { code: 'invalid_parameter' }],
    ]
    for (const [what, body, status, expected] of cases) {
      it(`answers ${status} to ${what}, and the token stays good`, async () => {
        const answer = await send(body)
        expect(answer.status, answer.text).to.equal(status)
        expect(answer.json()).to.include(expected)
        expect((await send()).status).to.equal(202)
      })
    }
  })
})
