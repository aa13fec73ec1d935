import { anyStore, fakeClock } from '@svc/testkit'
import { expect } from 'chai'
import * as jose from 'jose'
import {
  type Answer,
  type Form,
  SCOPE,
  startTokenServer,
  type TestClient,
  type TokenServer,
  VERIFIER,
} from './token-server.ts'

function expectError(answer: Answer, status: number, error: string): void {
  expect([answer.status, answer.body['error']]).to.deep.equal([status, error])
  expect(answer.headers.get('content-type')).to.equal('application/json; charset=utf-8')
  expect(answer.headers.get('cache-control')).to.equal('no-store')
  expect(Object.keys(answer.body)).to.include.members(['error'])
}

anyStore((open) => {
  describe('POST /auth/access_token refuses', () => {
    let server: TokenServer
    let client: TestClient

    beforeEach(async () => {
      const clock = fakeClock()
      server = await startTokenServer({ store: await open({ clock }), clock })
      client = await server.register()
    })
    afterEach(() => server.close())

    async function tokensOf(of: TestClient = client): Promise<Answer> {
      const answer = await server.exchange(of, await server.mint(of))
      expect(answer.status).to.equal(200)
      return answer
    }

    async function isAlive(refreshToken: unknown): Promise<boolean> {
      return (await server.refresh(client, refreshToken)).status === 200
    }

    const row1: readonly (readonly [string, string])[] = [
      ['1: a parameter twice', 'client_id=a&client_id=b&grant_type=authorization_code'],
      ['1: an unknown parameter twice', 'client_id=a&x=1&x=2'],
      ['1: malformed percent-encoding', 'client_id=%ZZ'],
      ['2: no client_id', 'grant_type=authorization_code&client_secret=s&code=c'],
      ['2: an empty client_id', 'grant_type=authorization_code&client_id=&client_secret=s'],
      ['2: an empty body', ''],
    ]
    for (const [what, form] of row1) {
      it(`row ${what}, with 400 invalid_request`, async () => {
        expectError(await server.post('/auth/access_token', form), 400, 'invalid_request')
      })
    }

    const form = { grant_type: 'authorization_code', code: 'x' }
    const row3: readonly (readonly [string, (id: string) => Form])[] = [
      ['no client_secret', (id) => ({ ...form, client_id: id })],
      ['an empty client_secret', (id) => ({ ...form, client_id: id, client_secret: '' })],
      ['a wrong client_secret', (id) => ({ ...form, client_id: id, client_secret: 'wrong' })],
      [
        'a secret and NUL',
        (id) => ({ ...form, client_id: id, client_secret: `${client.secret}\0` }),
      ],
      [
        'a secret and a newline',
        (id) => ({ ...form, client_id: id, client_secret: `${client.secret}\n` }),
      ],
      ['a non-ASCII secret', (id) => ({ ...form, client_id: id, client_secret: 'sécret' })],
      ['no grant_type and a wrong secret', (id) => ({ client_id: id, client_secret: 'wrong' })],
    ]
    for (const [what, build] of row3) {
      it(`row 3: ${what}, with 401 invalid_client`, async () => {
        const answer = await server.post('/auth/access_token', build(client.client.id))
        expectError(answer, 401, 'invalid_client')
        expect(answer.body['error_description']).to.equal('client authentication failed')
        expect(answer.headers.get('www-authenticate')).to.equal(null)
      })
    }

    for (const id of ['0'.repeat(32), 'no such client', '../x', 'x'.repeat(129), '__proto__']) {
      it(`row 3: the unknown client ${id.slice(0, 16)}, saying it must be registered`, async () => {
        const unknown = { ...form, client_id: id, client_secret: 'x' }
        const answer = await server.post('/auth/access_token', unknown)
        expectError(answer, 401, 'invalid_client')
        expect(answer.body['error_description']).to.include('the client must be registered')
        expect(answer.body).not.to.have.property('message')
      })
    }

    it('row 3: a client of another instance', async () => {
      const answer = await server.token(client, form, { instance: server.other })
      expectError(answer, 401, 'invalid_client')
      expect(answer.body['error_description']).to.include('the client must be registered')
    })

    it('row 3: wrong Basic credentials, with the challenge of that scheme', async () => {
      const basic = Buffer.from(`${client.client.id}:wrong`).toString('base64')
      const answer = await server.post('/auth/access_token', form, {
        headers: { Authorization: `Basic ${basic}` },
      })
      expectError(answer, 401, 'invalid_client')
      expect(answer.headers.get('www-authenticate')).to.equal('Basic realm="alice.example.com"')
    })

    const basicCases: readonly (readonly [string, () => string, Form])[] = [
      [
        'Basic and a secret in the form',
        () => btoa(`${client.client.id}:${client.secret}`),
        { ...form, client_secret: 's' },
      ],
      [
        'Basic of another client than the form',
        () => btoa(`${client.client.id}:${client.secret}`),
        { ...form, client_id: 'other' },
      ],
      ['malformed Basic', () => '%%%', form],
      ['Basic without a colon', () => btoa('abc'), form],
    ]
    for (const [what, credentials, basicForm] of basicCases) {
      it(`${what}, with 400 invalid_request`, async () => {
        const answer = await server.post('/auth/access_token', basicForm, {
          headers: { Authorization: `Basic ${credentials()}` },
        })
        expectError(answer, 400, 'invalid_request')
      })
    }

    const later: readonly (readonly [string, Form, string])[] = [
      ['4: no grant_type', {}, 'invalid_request'],
      [
        '5: password',
        { grant_type: 'password', username: 'a', password: 'b' },
        'unsupported_grant_type',
      ],
      ['5: client_credentials', { grant_type: 'client_credentials' }, 'unsupported_grant_type'],
      ['5: implicit', { grant_type: 'implicit' }, 'unsupported_grant_type'],
      [
        '5: a device code',
        { grant_type: 'urn:ietf:params:oauth:grant-type:device_code' },
        'unsupported_grant_type',
      ],
      ['5: __proto__', { grant_type: '__proto__' }, 'unsupported_grant_type'],
      ['6: no code', { grant_type: 'authorization_code' }, 'invalid_request'],
      ['6: an empty code', { grant_type: 'authorization_code', code: '' }, 'invalid_request'],
      [
        '7: an unknown code',
        { grant_type: 'authorization_code', code: 'x'.repeat(65) },
        'invalid_grant',
      ],
      [
        '7: a code of 60 000 characters',
        { grant_type: 'authorization_code', code: 'x'.repeat(60_000) },
        'invalid_grant',
      ],
      [
        '14: a refresh token of 60 000 characters',
        { grant_type: 'refresh_token', refresh_token: 'x'.repeat(60_000) },
        'invalid_grant',
      ],
      ['7: a short unknown code', { grant_type: 'authorization_code', code: 'x' }, 'invalid_grant'],
      ['13: no refresh_token', { grant_type: 'refresh_token' }, 'invalid_request'],
      [
        '14: an unknown refresh token',
        { grant_type: 'refresh_token', refresh_token: 'y'.repeat(65) },
        'invalid_grant',
      ],
    ]
    for (const [what, laterForm, error] of later) {
      it(`row ${what}, with 400 ${error}`, async () => {
        expectError(await server.token(client, laterForm), 400, error)
      })
    }

    it('row 7: an expired code', async () => {
      const code = await server.mint(client)
      server.clock.advance(5 * 60_000 + 1)
      expectError(await server.exchange(client, code), 400, 'invalid_grant')
    })

    it('row 7: a code of another client, leaving it usable', async () => {
      const thief = await server.register({ client_name: 'Thief' })
      const code = await server.mint(client)
      expectError(await server.exchange(thief, code), 400, 'invalid_grant')
      expect((await server.exchange(client, code)).status).to.equal(200)
    })

    it('row 7: a code of another instance', async () => {
      const elsewhere = await server.register({}, server.other)
      const code = await server.mint(client)
      const exchange = { grant_type: 'authorization_code', code }
      const answer = await server.token(elsewhere, exchange, { instance: server.other })
      expectError(answer, 400, 'invalid_grant')
    })

    it('row 8: another redirect_uri, leaving the code usable', async () => {
      const code = await server.mint(client)
      for (const uri of ['https://evil.example/', 'https://client.example/callback/', 'x']) {
        const answer = await server.exchange(client, code, { redirect_uri: uri })
        expectError(answer, 400, 'invalid_grant')
      }
      expect((await server.exchange(client, code)).status).to.equal(200)
    })

    it('row 10: a verifier for a code without a challenge', async () => {
      const code = await server.mint(client)
      const answer = await server.exchange(client, code, { code_verifier: VERIFIER })
      expectError(answer, 400, 'invalid_grant')
    })

    for (const verifier of ['short', 'a'.repeat(129), `${'a'.repeat(42)}+`, 'é'.repeat(43)]) {
      it(`row 11: the verifier ${verifier.slice(0, 8)} of ${verifier.length} characters`, async () => {
        const code = await server.mint(client, { verifier: VERIFIER })
        const answer = await server.exchange(client, code, { code_verifier: verifier })
        expect(answer.status).to.equal(400)
        expect(answer.body['error']).to.be.oneOf(['invalid_request', 'invalid_grant'])
      })
    }

    it('row 12: a code that was used, ending what it gave', async () => {
      const other = await tokensOf()
      const code = await server.mint(client)
      const { body } = await server.exchange(client, code)
      const gid = String(jose.decodeJwt(String(body['access_token']))['gid'])
      expectError(await server.exchange(client, code), 400, 'invalid_grant')
      expectError(await server.refresh(client, body['refresh_token']), 400, 'invalid_grant')
      expect(await server.engine.findGrant(server.instance, gid)).to.equal(undefined)
      expect(await isAlive(other.body['refresh_token'])).to.equal(true)
      const revoked = server.events.filter(({ name }) => name === 'grant.revoked')
      expect(revoked).to.have.lengthOf(1)
      expectError(await server.exchange(client, code), 400, 'invalid_grant')
    })

    it('row 14: refresh tokens of another client and of another instance', async () => {
      const { body } = await tokensOf()
      const thief = await server.register({ client_name: 'Thief' })
      expectError(await server.refresh(thief, body['refresh_token']), 400, 'invalid_grant')
      const elsewhere = await server.register({}, server.other)
      const refresh = {
        grant_type: 'refresh_token',
        refresh_token: String(body['refresh_token']),
      }
      const answer = await server.token(elsewhere, refresh, { instance: server.other })
      expectError(answer, 400, 'invalid_grant')
      expect(await isAlive(body['refresh_token'])).to.equal(true)
    })

    it('row 14: tokens of other kinds', async () => {
      const { body } = await tokensOf()
      const code = await server.mint(client)
      for (const token of [body['access_token'], client.registrationToken, code]) {
        expectError(await server.refresh(client, token), 400, 'invalid_grant')
      }
      expectError(
        await server.exchange(client, String(body['refresh_token'])),
        400,
        'invalid_grant',
      )
    })

    it('row 15: a scope that was not granted', async () => {
      const { body } = await tokensOf()
      for (const scope of ['io.svc.notes', `${SCOPE} io.svc.notes`, '*', 'io.svc.files']) {
        const answer = await server.refresh(client, body['refresh_token'], { scope })
        expectError(answer, 400, 'invalid_scope')
      }
    })

    const types: readonly (readonly [string, number, string])[] = [
      ['application/json', 400, 'invalid_request'],
      ['text/plain', 400, 'invalid_request'],
      ['multipart/form-data; boundary=x', 400, 'invalid_request'],
    ]
    for (const [type, status, error] of types) {
      it(`a body of type ${type}, with ${status}`, async () => {
        const answer = await server.post('/auth/access_token', '{}', {
          headers: { 'Content-Type': type },
        })
        expectError(answer, status, error)
      })
    }

    it('a body without a type, with 400', async () => {
      const answer = await fetch(`${server.origin}/auth/access_token`, {
        method: 'POST',
        body: Buffer.from('client_id=x'),
      })
      expect(answer.status).to.equal(400)
      expect(await answer.json()).to.include({ error: 'invalid_request' })
    })

    it('an encoded body, with 415', async () => {
      const answer = await server.post('/auth/access_token', 'client_id=x', {
        headers: { 'Content-Encoding': 'gzip' },
      })
      expectError(answer, 415, 'unsupported_media_type')
    })

    it('a body above 64 KiB, with 413', async () => {
      const answer = await server.post('/auth/access_token', `client_id=${'x'.repeat(65_536)}`)
      expectError(answer, 413, 'payload_too_large')
    })
  })
})
