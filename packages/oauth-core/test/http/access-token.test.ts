import { eachStore } from '@svc/testkit'
import { expect } from 'chai'
import * as jose from 'jose'
import { findGrant } from '../../src/engine/grant.ts'
import { type Answer, type Registered, testApp } from '../oauth-server.ts'
import { SCOPE, type TokenServer, tokenServer } from './token-server.ts'

eachStore((open) => {
  describe('POST /auth/access_token', () => {
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

    it('exchanges a code for tokens', async () => {
      const answer = await tokensOf()
      const { access_token: accessToken, refresh_token: refreshToken, ...others } = answer.body
      expect(others).to.deep.equal({ token_type: 'bearer', expires_in: 86_400, scope: SCOPE })
      expect(answer.headers['content-type']).to.equal('application/json; charset=utf-8')
      expect(answer.headers['cache-control']).to.equal('no-store')
      expect(refreshToken).to.match(/^[A-Za-z0-9_-]{65}$/)

      const key = await server.oauth.keyring.current(server.instance, 'access')
      const { payload, protectedHeader } = await jose.jwtVerify(String(accessToken), key.secret, {
        algorithms: ['HS512'],
      })
      expect(protectedHeader).to.deep.equal({ alg: 'HS512', typ: 'JWT', kid: 'access.1' })
      const { jti, gid, iat = 0, exp, ...claims } = payload
      const own = { iss: 'alice.example.com', aud: 'access', sub: client.id, scope: SCOPE }
      expect(claims).to.deep.equal(own)
      expect(exp).to.equal(iat + 86_400)
      expect(iat * 1000).to.be.within(server.clock.now() - 2000, server.clock.now())
      expect(jti).to.match(/^[0-9a-f-]{36}$/)
      const grant = await findGrant(server, server.instance, String(gid))
      expect(grant).to.include({ id: gid, clientId: client.id, scope: SCOPE })
    })

    it('refreshes, again and again, with the same refresh token', async () => {
      const first = await tokensOf()
      const token = first.body['refresh_token']
      const answers = await Promise.all(
        Array.from({ length: 5 }, () => server.refresh(client, token)),
      )
      const accessTokens = new Set([first.body['access_token']])
      const expected = { token_type: 'bearer', expires_in: 86_400, scope: SCOPE }
      for (const { status, body } of answers) {
        expect(status).to.equal(200)
        const { access_token: accessToken, ...others } = body
        expect(others).to.deep.equal({ ...expected, refresh_token: token })
        accessTokens.add(accessToken)
      }
      expect(accessTokens.size).to.equal(6)
    })

    it('says what it issued, and when the client was last here', async () => {
      const { body } = await tokensOf()
      await server.refresh(client, body['refresh_token'])
      const issued = server.eventsOf('token.issued') as { client: { id: string } }[]
      expect(issued.map((event) => ({ ...event, client: event.client.id }))).to.deep.equal(
        ['authorization_code', 'refresh_token'].map((grant) => ({
          instance: server.instance,
          client: client.id,
          grant,
          scope: SCOPE,
        })),
      )
      const known = await server.oauth.clients.get(server.instance, client.id)
      const now = server.clock.now()
      expect(known?.lastRefreshedAt).to.be.within(now - 2000, now)
    })

    it('gives a linked client the scope of its app, whatever it asked', async () => {
      server.apps.set('drive', testApp('drive'))
      const linked = await server.register({ software_id: 'registry://drive/stable' })
      const first = await tokensOf(linked)
      expect(first.body).to.include({ scope: '@io.svc.apps/drive' })
      const again = await server.refresh(linked, first.body['refresh_token'])
      expect(again.body).to.include({ scope: '@io.svc.apps/drive' })
      const { scope } = jose.decodeJwt(String(again.body['access_token']))
      expect(scope).to.equal('@io.svc.apps/drive')
    })

    it('ignores an Authorization header of no use, and parameters it does not know', async () => {
      for (const authorization of ['Bearer eyJ.expired.token', 'null', 'Bearer', 'Digest x="y"']) {
        const code = await server.mint(client)
        const form = { grant_type: 'authorization_code', code, nonce: 'n', audience: 'y' }
        const headers = { authorization, origin: 'https://evil.example', accept: 'text/html' }
        const credentials = { client_id: client.id, client_secret: client.secret }
        const request = { form: { ...credentials, ...form, client_assertion: 'x' }, headers }
        const answer = await server.send('POST', '/auth/access_token', request)
        expect(answer.status, authorization).to.equal(200)
        expect(answer.headers).to.not.have.property('access-control-allow-origin')
        expect(answer.headers['vary']).not.to.include('Origin')
      }
    })

    it('takes the redirect URI of the code when none is sent, also of several registered', async () => {
      const redirect_uri = 'https://client.example/b'
      const redirect_uris = ['https://client.example/a', redirect_uri]
      const several = await server.register({ redirect_uris })
      for (const form of [{}, { redirect_uri }]) {
        const code = await server.mint(several, { redirect_uri })
        expect((await server.exchange(several, code, form)).status).to.equal(200)
      }
    })
  })
})
