import { loopbackFetch } from '@svc/testkit'
import { sqliteStore } from '@svc/store/sqlite'
import type { Store } from '@svc/store'
import { expect } from 'chai'
import * as oauth from 'oauth4webapi'
import { SCOPE, startTokenServer, type TokenServer, VERIFIER } from './token-server.ts'

describe('GET /.well-known/oauth-authorization-server', () => {
  let store: Store
  let server: TokenServer
  beforeEach(async () => {
    store = sqliteStore({ file: ':memory:' })
    server = await startTokenServer({ store })
  })
  afterEach(async () => {
    await server.close()
    await store.close()
  })

  const PATH = '/.well-known/oauth-authorization-server'

  it('names what is mounted, under the configured base', async () => {
    const answer = await server.get(PATH, { 'X-Forwarded-Host': 'evil.example' })
    expect(answer.status).to.equal(200)
    expect(answer.headers.get('content-type')).to.equal('application/json; charset=utf-8')
    // Only the endpoints about tokens are mounted here.
    expect(answer.body).to.deep.equal({
      issuer: 'https://alice.example.com',
      token_endpoint: 'https://alice.example.com/auth/access_token',
      revocation_endpoint: 'https://alice.example.com/auth/revoke',
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
      revocation_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
    })
  })

  it('may be read from any origin, without credentials', async () => {
    const answer = await server.get(PATH, { Origin: 'https://app.example' })
    expect(answer.headers.get('access-control-allow-origin')).to.equal('*')
    expect(answer.headers.get('access-control-allow-credentials')).to.equal(null)
  })
})

describe('an independent client', () => {
  let store: Store
  let server: TokenServer
  beforeEach(async () => {
    store = sqliteStore({ file: ':memory:' })
    server = await startTokenServer({ store })
  })
  afterEach(async () => {
    await server.close()
    await store.close()
  })

  for (const method of ['ClientSecretPost', 'ClientSecretBasic'] as const) {
    it(`exchanges, refreshes and revokes with ${method}`, async () => {
      const http = { [oauth.customFetch]: loopbackFetch({ port: server.port }) }
      const issuer = new URL('https://alice.example.com')
      const discovery = await oauth.discoveryRequest(issuer, { ...http, algorithm: 'oauth2' })
      const as = await oauth.processDiscoveryResponse(issuer, discovery)
      const { client, secret } = await server.register()
      const me = { client_id: client.id }
      const auth = oauth[method](secret)

      const code = await server.mint(
        { client, secret, registrationToken: '' },
        { verifier: VERIFIER },
      )
      const callback = new URLSearchParams({ code, state: 'abc', iss: as.issuer })
      const checked = oauth.validateAuthResponse(as, me, callback, 'abc')
      const redirectUri = client.metadata.redirect_uris[0] ?? ''
      const first = await oauth.processAuthorizationCodeResponse(
        as,
        me,
        await oauth.authorizationCodeGrantRequest(
          as,
          me,
          auth,
          checked,
          redirectUri,
          VERIFIER,
          http,
        ),
      )
      expect(first).to.include({ token_type: 'bearer', expires_in: 86_400, scope: SCOPE })

      const refreshToken = String(first.refresh_token)
      const refresh = () => oauth.refreshTokenGrantRequest(as, me, auth, refreshToken, http)
      const again = await oauth.processRefreshTokenResponse(as, me, await refresh())
      expect(again.refresh_token).to.equal(refreshToken)
      expect(again.access_token).not.to.equal(first.access_token)

      const revocation = await oauth.revocationRequest(as, me, auth, again.access_token, http)
      await oauth.processRevocationResponse(revocation)
      const refused = await oauth
        .processRefreshTokenResponse(as, me, await refresh())
        .catch((error: unknown) => error)
      expect(refused).to.be.instanceOf(oauth.ResponseBodyError)
      expect((refused as oauth.ResponseBodyError).error).to.equal('invalid_grant')
    })
  }
})
