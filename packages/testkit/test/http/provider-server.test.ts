import { expect } from 'chai'
import * as oauth from 'oauth4webapi'
import { openProvider, type Provider } from '../../src/index.ts'

const REDIRECT_URI = 'https://alice.example/accounts/x/redirect'

describe('openProvider', () => {
  let provider: Provider
  beforeEach(async () => {
    provider = await openProvider({ sendsIssuer: true })
  })
  afterEach(() => provider.close())

  const http = { [oauth.allowInsecureRequests]: true }
  const client = { client_id: 'client-1' }
  const secret = oauth.ClientSecretPost('secret-1')

  async function discover(): Promise<oauth.AuthorizationServer> {
    const issuer = new URL(provider.origin)
    return await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, http))
  }

  async function authorize(
    as: oauth.AuthorizationServer,
    verifier: string,
  ): Promise<URLSearchParams> {
    const url = new URL(as.authorization_endpoint!)
    url.search = new URLSearchParams({
      client_id: 'client-1',
      response_type: 'code',
      redirect_uri: REDIRECT_URI,
      scope: 'openid files',
      state: 'state-1',
      nonce: 'nonce-1',
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    }).toString()
    const answer = await fetch(url, { redirect: 'manual' })
    expect(answer.status).to.equal(302)
    return oauth.validateAuthResponse(
      as,
      client,
      new URL(answer.headers.get('location')!),
      'state-1',
    )
  }

  it('refuses another verifier, and a code that comes twice', async () => {
    const as = await discover()
    const verifier = oauth.generateRandomCodeVerifier()
    const callback = await authorize(as, verifier)
    const post = (codeVerifier: string): Promise<Response> =>
      oauth.authorizationCodeGrantRequest(
        as,
        client,
        secret,
        callback,
        REDIRECT_URI,
        codeVerifier,
        http,
      )
    expect((await post(oauth.generateRandomCodeVerifier())).status).to.equal(400)
    const first = await post(verifier)
    expect(first.status).to.equal(200)
    const { access_token } = (await first.json()) as { access_token: string }
    expect((await post(verifier)).status).to.equal(400)
    expect(provider.grants.isLive(access_token)).to.equal(false)
  })

  it('ends the grant when an old refresh token comes again', async () => {
    const as = await discover()
    const { refreshToken } = provider.grants.issue('client-1', 'files')
    const refresh = (token: string): Promise<Response> =>
      oauth.refreshTokenGrantRequest(as, client, secret, token, http)
    const { refresh_token } = (await (await refresh(refreshToken)).json()) as {
      refresh_token: string
    }
    expect((await refresh(refreshToken)).status).to.equal(400)
    expect((await refresh(refresh_token)).status).to.equal(400)
  })
})
