import { eachStore, fakeClock } from '@svc/testkit'
import { expect } from 'chai'
import * as jose from 'jose'
import {
  type Answer,
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
  expect(answer.headers.get('access-control-allow-origin')).to.equal(null)
  expect(Object.keys(answer.body)).to.include.members(['error'])
}

eachStore((open) => {
  describe('POST /auth/access_token', () => {
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

    it('exchanges a code for tokens', async () => {
      const answer = await tokensOf()
      const { access_token: accessToken, refresh_token: refreshToken, ...others } = answer.body
      expect(others).to.deep.equal({ token_type: 'bearer', expires_in: 86_400, scope: SCOPE })
      expect(answer.headers.get('content-type')).to.equal('application/json; charset=utf-8')
      expect(answer.headers.get('cache-control')).to.equal('no-store')
      expect(refreshToken).to.match(/^[A-Za-z0-9_-]{65}$/)

      const key = await server.keyring.current(server.instance, 'access')
      const { payload, protectedHeader } = await jose.jwtVerify(String(accessToken), key.secret, {
        algorithms: ['HS512'],
      })
      expect(protectedHeader).to.deep.equal({ alg: 'HS512', typ: 'JWT', kid: 'access.1' })
      const { jti, gid, iat = 0, exp, ...claims } = payload
      expect(claims).to.deep.equal({
        iss: 'alice.example.com',
        aud: 'access',
        sub: client.client.id,
        scope: SCOPE,
      })
      expect(exp).to.equal(iat + 86_400)
      expect(iat * 1000).to.be.within(server.clock.now() - 2000, server.clock.now())
      expect(jti).to.match(/^[0-9a-f-]{36}$/)
      const grant = await server.engine.findGrant(server.instance, String(gid))
      expect(grant).to.include({ id: gid, clientId: client.client.id, scope: SCOPE })
    })

    it('refreshes, again and again, with the same refresh token', async () => {
      const first = await tokensOf()
      const token = first.body['refresh_token']
      const answers = await Promise.all(
        Array.from({ length: 5 }, () => server.refresh(client, token)),
      )
      const accessTokens = new Set([first.body['access_token']])
      for (const { status, body } of answers) {
        expect(status).to.equal(200)
        const { access_token: accessToken, ...others } = body
        expect(others).to.deep.equal({
          token_type: 'bearer',
          expires_in: 86_400,
          refresh_token: token,
          scope: SCOPE,
        })
        accessTokens.add(accessToken)
      }
      expect(accessTokens.size).to.equal(6)
    })

    it('narrows the scope of a refreshed access token only', async () => {
      const { body } = await tokensOf()
      const narrow = await server.refresh(client, body['refresh_token'], {
        scope: 'io.svc.files:GET',
      })
      expect(narrow.body).to.include({ scope: 'io.svc.files:GET' })
      const whole = await server.refresh(client, body['refresh_token'], { scope: SCOPE })
      expect(whole.body).to.include({ scope: SCOPE })
    })

    it('says what it issued, and when the client was last here', async () => {
      const { body } = await tokensOf()
      await server.refresh(client, body['refresh_token'])
      const issued = server.events.filter(({ name }) => name === 'token.issued')
      expect(issued.map(({ event }) => event)).to.deep.equal([
        {
          instance: server.instance,
          client: client.client,
          grant: 'authorization_code',
          scope: SCOPE,
        },
        { instance: server.instance, client: client.client, grant: 'refresh_token', scope: SCOPE },
      ])
      const known = await server.engine.lastRefreshed(server.instance, [client.client.id])
      expect(known.get(client.client.id)).to.be.within(
        server.clock.now() - 2000,
        server.clock.now(),
      )
    })

    it('gives a linked client the scope of its app, whatever it asked', async () => {
      const linked = await server.register({ software_id: 'registry://drive/stable' })
      const code = await server.mint(linked, { scope: '@io.svc.apps/drive' })
      const first = await server.exchange(linked, code)
      expect(first.body).to.include({ scope: '@io.svc.apps/drive' })
      const again = await server.refresh(linked, first.body['refresh_token'])
      expect(again.body).to.include({ scope: '@io.svc.apps/drive' })
      const { scope } = jose.decodeJwt(String(again.body['access_token']))
      expect(scope).to.equal('@io.svc.apps/drive')
    })

    it('accepts HTTP Basic', async () => {
      const code = await server.mint(client)
      const basic = Buffer.from(`${client.client.id}:${client.secret}`).toString('base64')
      const answer = await server.post(
        '/auth/access_token',
        { grant_type: 'authorization_code', code },
        { headers: { Authorization: `Basic ${basic}` } },
      )
      expect(answer.status).to.equal(200)
    })

    for (const authorization of ['Bearer eyJ.expired.token', 'null', 'Bearer', 'Digest x="y"']) {
      it(`ignores the header Authorization: ${authorization}`, async () => {
        const form = { grant_type: 'authorization_code', code: await server.mint(client) }
        const answer = await server.token(client, form, {
          headers: {
            Authorization: authorization,
            Origin: 'https://evil.example',
            Accept: 'text/html',
          },
        })
        expect(answer.status).to.equal(200)
        expect(answer.headers.get('access-control-allow-origin')).to.equal(null)
        expect(answer.headers.get('vary') ?? '').not.to.include('Origin')
      })
    }

    it('takes the redirect URI of the code when none is sent, also of several registered', async () => {
      const several = await server.register({
        redirect_uris: ['https://client.example/a', 'https://client.example/b'],
      })
      const code = await server.mint(several, { redirectUri: 'https://client.example/b' })
      expect((await server.exchange(several, code)).status).to.equal(200)
      const same = await server.mint(several, { redirectUri: 'https://client.example/b' })
      const form = { redirect_uri: 'https://client.example/b' }
      expect((await server.exchange(several, same, form)).status).to.equal(200)
    })

    for (const uri of ['app://callback', 'http://localhost:8123/cb', 'urn:ietf:wg:oauth:2.0:oob']) {
      it(`serves a client that lives at ${uri}`, async () => {
        const native = await server.register({ redirect_uris: [uri] })
        const code = await server.mint(native, { redirectUri: uri })
        expect((await server.exchange(native, code)).status).to.equal(200)
      })
    }

    it('checks PKCE and leaves the code usable after a wrong verifier', async () => {
      const code = await server.mint(client, { verifier: VERIFIER })
      for (const form of [{}, { code_verifier: 'b'.repeat(43) }]) {
        expectError(await server.exchange(client, code, form), 400, 'invalid_grant')
      }
      const answer = await server.exchange(client, code, { code_verifier: VERIFIER })
      expect(answer.status).to.equal(200)
    })

    it('ignores parameters it does not know', async () => {
      const form = {
        nonce: 'n',
        resource: 'https://x.example',
        client_assertion: 'x',
        audience: 'y',
      }
      expect((await server.exchange(client, await server.mint(client), form)).status).to.equal(200)
    })
  })
})
