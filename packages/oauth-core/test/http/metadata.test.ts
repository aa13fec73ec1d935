import { loopbackFetch } from '@svc/testkit'
import { expect } from 'chai'
import * as oauth from 'oauth4webapi'
import { VERIFIER } from '../client-steps.ts'
import { METADATA, oauthServer } from '../oauth-server.ts'
import { PKCE, SCOPE, tokenServer } from './token-server.ts'

describe('GET /.well-known/oauth-authorization-server', () => {
  it('names what is mounted, under the configured base', async () => {
    const { send } = await oauthServer()
    const answer = await send('GET', '/.well-known/oauth-authorization-server', {
      headers: { 'x-forwarded-host': 'evil.example' },
    })
    expect(answer.status).to.equal(200)
    expect(answer.headers['content-type']).to.equal('application/json; charset=utf-8')
    const at = (path: string): string => `https://alice.example.com/auth/${path}`
    expect(answer.body).to.deep.equal({
      issuer: 'https://alice.example.com',
      authorization_endpoint: at('authorize'),
      token_endpoint: at('access_token'),
      registration_endpoint: at('register'),
      revocation_endpoint: at('revoke'),
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
      revocation_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
    })
  })
})

describe('an independent client', () => {
  for (const method of ['ClientSecretPost', 'ClientSecretBasic'] as const) {
    it(`exchanges, refreshes and revokes with ${method}`, async () => {
      const server = await tokenServer()
      const http = { [oauth.customFetch]: loopbackFetch({ port: server.port }) }
      const issuer = new URL('https://alice.example.com')
      const discovery = await oauth.discoveryRequest(issuer, { ...http, algorithm: 'oauth2' })
      const as = await oauth.processDiscoveryResponse(issuer, discovery)
      const client = await server.register()
      const me = { client_id: client.id }
      const auth = oauth[method](client.secret)

      const code = await server.mint(client, PKCE)
      const callback = new URLSearchParams({ code, state: 'abc', iss: as.issuer })
      const checked = oauth.validateAuthResponse(as, me, callback, 'abc')
      const [uri] = METADATA.redirect_uris
      const first = await oauth.processAuthorizationCodeResponse(
        as,
        me,
        await oauth.authorizationCodeGrantRequest(as, me, auth, checked, uri, VERIFIER, http),
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
