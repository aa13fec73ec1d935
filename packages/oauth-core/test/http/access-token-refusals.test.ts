import { anyStore } from '@svc/testkit'
import { expect } from 'chai'
import * as jose from 'jose'
import { findGrant } from '../../src/engine/grant.ts'
import { VERIFIER } from '../client-steps.ts'
import type { Answer, Registered, Send } from '../oauth-server.ts'
import { PKCE, SCOPE, type TokenServer, tokenServer } from './token-server.ts'

const PATH = '/auth/access_token'
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const CODE = { grant_type: 'authorization_code', code: 'x' }

function expectError(answer: Answer, status: number, error: string, what = ''): void {
  expect([answer.status, answer.body['error']], what).to.deep.equal([status, error])
  expect(answer.headers, what).to.include({
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
  })
}

anyStore((open) => {
  describe('POST /auth/access_token refuses', () => {
    let server: TokenServer
    let client: Registered

    beforeEach(async () => {
      server = await tokenServer({ openStore: (clock) => open({ clock }) })
      client = await server.register()
    })

    async function tokensOf(of: Registered = client): Promise<Answer> {
      const answer = await server.exchange(of, await server.mint(of))
      expect(answer.status).to.equal(200)
      return answer
    }

    const isAlive = async (refreshToken: unknown): Promise<boolean> =>
      (await server.refresh(client, refreshToken)).status === 200

    async function onBob(): Promise<Registered> {
      await server.oauth.instances.create({ domain: 'bob.example.com' })
      return server.register({}, 'bob.example.com')
    }

    it('what cannot be read, rows 1 and 2', async () => {
      const basic = (text: string) => ({ authorization: `Basic ${text}` })
      const own = btoa(`${client.id}:${client.secret}`)
      const cases: Readonly<Record<string, Send>> = {
        'a parameter twice': { body: 'client_id=a&client_id=b&grant_type=x', headers: FORM },
        'an unknown parameter twice': { body: 'client_id=a&x=1&x=2', headers: FORM },
        'malformed percent-encoding': { body: 'client_id=%ZZ', headers: FORM },
        'no client_id': { form: { ...CODE, client_secret: 's' } },
        'an empty client_id': { form: { ...CODE, client_id: '', client_secret: 's' } },
        'an empty body': { body: '', headers: FORM },
        'Basic and a secret': { form: { ...CODE, client_secret: 's' }, headers: basic(own) },
        'Basic of another client': { form: { ...CODE, client_id: 'other' }, headers: basic(own) },
        'malformed Basic': { form: CODE, headers: basic('%%%') },
        'Basic without a colon': { form: CODE, headers: basic(btoa('abc')) },
        JSON: { json: {} },
        'plain text': { body: '{}', headers: { 'content-type': 'text/plain' } },
        'no type': { body: 'client_id=x' },
      }
      for (const [what, request] of Object.entries(cases)) {
        expectError(await server.send('POST', PATH, request), 400, 'invalid_request', what)
      }
      const gzip = { body: 'client_id=x', headers: { ...FORM, 'content-encoding': 'gzip' } }
      expectError(await server.send('POST', PATH, gzip), 415, 'unsupported_media_type')
      const long = { form: { client_id: 'x'.repeat(65_536) } }
      expectError(await server.send('POST', PATH, long), 413, 'payload_too_large')
    })

    it('who does not show the secret of a client, row 3', async () => {
      const secrets = ['', 'wrong', `${client.secret}\0`, `${client.secret}\n`, 'sécret']
      for (const form of [
        { ...CODE, client_id: client.id },
        { client_id: client.id, client_secret: 'wrong' },
        ...secrets.map((client_secret) => ({ ...CODE, client_id: client.id, client_secret })),
      ]) {
        const answer = await server.send('POST', PATH, { form })
        expectError(answer, 401, 'invalid_client', JSON.stringify(form))
        expect(answer.body['error_description']).to.equal('client authentication failed')
        expect(answer.headers).to.not.have.property('www-authenticate')
      }
      const headers = { authorization: `Basic ${btoa(`${client.id}:wrong`)}` }
      const basic = await server.send('POST', PATH, { form: CODE, headers })
      expectError(basic, 401, 'invalid_client')
      expect(basic.headers['www-authenticate']).to.equal('Basic realm="alice.example.com"')
    })

    it('an unknown client, row 3, saying that it must be registered', async () => {
      const bob = await onBob()
      for (const id of [
        '0'.repeat(32),
        'no client',
        '../x',
        'x'.repeat(129),
        '__proto__',
        bob.id,
      ]) {
        const answer = await server.token({ ...client, id }, CODE)
        expectError(answer, 401, 'invalid_client', id)
        expect(answer.body['error_description']).to.include('the client must be registered')
        expect(answer.body).not.to.have.property('message')
      }
    })

    it('grants that there are not, rows 4 to 7, 13 and 14', async () => {
      const none = await server.token(client, {})
      expectError(none, 400, 'invalid_request')
      for (const grant_type of [
        'password',
        'client_credentials',
        'implicit',
        'urn:ietf:params:oauth:grant-type:device_code',
        '__proto__',
      ]) {
        const answer = await server.token(client, { grant_type })
        expectError(answer, 400, 'unsupported_grant_type', grant_type)
      }
      for (const [name, grant_type] of [
        ['code', 'authorization_code'],
        ['refresh_token', 'refresh_token'],
      ] as const) {
        expectError(await server.token(client, { grant_type }), 400, 'invalid_request')
        const empty = await server.token(client, { grant_type, [name]: '' })
        expectError(empty, 400, 'invalid_request')
        for (const value of ['x', 'x'.repeat(65), 'x'.repeat(60_000)]) {
          const answer = await server.token(client, { grant_type, [name]: value })
          expectError(answer, 400, 'invalid_grant', `${name} of ${value.length}`)
        }
      }
    })

    it('row 7: a code that expired', async () => {
      const code = await server.mint(client)
      server.clock.advance(5 * 60_000 + 1)
      expectError(await server.exchange(client, code), 400, 'invalid_grant')
    })

    it('rows 7 and 14: what is of another client or instance, leaving it usable', async () => {
      const { body } = await tokensOf()
      const token = body['refresh_token']
      const code = await server.mint(client)
      const thief = await server.register({ client_name: 'Thief' })
      const bob = await onBob()
      const host = { host: 'bob.example.com' }
      const refresh = { grant_type: 'refresh_token', refresh_token: String(token) }
      for (const answer of [
        await server.exchange(thief, code),
        await server.refresh(thief, token),
        await server.token(bob, { ...CODE, code }, host),
        await server.token(bob, refresh, host),
      ]) {
        expectError(answer, 400, 'invalid_grant')
      }
      expect((await server.exchange(client, code)).status).to.equal(200)
      expect(await isAlive(token)).to.equal(true)
    })

    it('row 8: another redirect_uri, leaving the code usable', async () => {
      const code = await server.mint(client)
      for (const uri of ['https://evil.example/', 'https://client.example/callback/', 'x']) {
        const answer = await server.exchange(client, code, { redirect_uri: uri })
        expectError(answer, 400, 'invalid_grant')
      }
      expect((await server.exchange(client, code)).status).to.equal(200)
    })

    it('rows 9 to 11: a verifier that is not that of the code, leaving it usable', async () => {
      const bare = await server.exchange(client, await server.mint(client), {
        code_verifier: VERIFIER,
      })
      expectError(bare, 400, 'invalid_grant')
      const code = await server.mint(client, PKCE)
      const malformed = ['short', 'a'.repeat(129), `${'a'.repeat(42)}+`, 'é'.repeat(43)]
      for (const code_verifier of ['b'.repeat(43), ...malformed]) {
        const answer = await server.exchange(client, code, { code_verifier })
        expect(answer.status, code_verifier).to.equal(400)
        expect(answer.body['error']).to.be.oneOf(['invalid_request', 'invalid_grant'])
      }
      expectError(await server.exchange(client, code), 400, 'invalid_grant')
      const right = await server.exchange(client, code, { code_verifier: VERIFIER })
      expect(right.status).to.equal(200)
    })

    it('row 12: a code that was used, ending what it gave', async () => {
      const other = await tokensOf()
      const code = await server.mint(client)
      const { body } = await server.exchange(client, code)
      const gid = String(jose.decodeJwt(String(body['access_token']))['gid'])
      expectError(await server.exchange(client, code), 400, 'invalid_grant')
      expectError(await server.refresh(client, body['refresh_token']), 400, 'invalid_grant')
      expect(await findGrant(server, server.instance, gid)).to.equal(undefined)
      expect(await isAlive(other.body['refresh_token'])).to.equal(true)
      expect(server.eventsOf('grant.revoked')).to.have.lengthOf(1)
      expectError(await server.exchange(client, code), 400, 'invalid_grant')
    })

    it('row 14: tokens of other kinds', async () => {
      const { body } = await tokensOf()
      const code = await server.mint(client)
      for (const token of [body['access_token'], client.token, code]) {
        expectError(await server.refresh(client, token), 400, 'invalid_grant')
      }
      const exchange = await server.exchange(client, String(body['refresh_token']))
      expectError(exchange, 400, 'invalid_grant')
    })

    it('row 15: a scope that was not granted, and gives less of what was', async () => {
      const { body } = await tokensOf()
      const token = body['refresh_token']
      for (const scope of ['io.svc.notes', `${SCOPE} io.svc.notes`, '*', 'io.svc.files']) {
        const answer = await server.refresh(client, token, { scope })
        expectError(answer, 400, 'invalid_scope', scope)
      }
      for (const scope of ['io.svc.files:GET', SCOPE]) {
        expect((await server.refresh(client, token, { scope })).body).to.include({ scope })
      }
    })
  })
})
