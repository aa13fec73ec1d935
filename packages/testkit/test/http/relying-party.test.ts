import { expect } from 'chai'
import { WWWAuthenticateChallengeError } from 'oauth4webapi'
import Provider from 'oidc-provider'
import { type Listening, listen, type RelyingParty, relyingParty } from '../../src/index.ts'

const ISSUER = 'https://alice.example.com'
const REDIRECT_URI = 'https://client.example/callback'

/** A stock provider with nothing of ours, so that the client is known to be right before it judges our server. */
describe('relyingParty', () => {
  let provider: Provider
  let server: Listening
  let client: RelyingParty

  before(async () => {
    provider = new Provider(ISSUER, {
      features: { registration: { enabled: true }, revocation: { enabled: true } },
      clientDefaults: { grant_types: ['authorization_code', 'refresh_token'] },
      issueRefreshToken: async () => true,
    })
    provider.proxy = true
    const handle = provider.callback()
    server = await listen((req, res) => {
      req.headers['x-forwarded-proto'] = 'https'
      void handle(req, res)
    })
  })

  beforeEach(() => {
    client = relyingParty({ issuer: ISSUER, port: server.port })
  })

  after(() => server.close())

  /** What the owner's consent would do. */
  async function consent(url: string): Promise<string> {
    const query = new URL(url).searchParams
    const registered = await provider.Client.find(client.client.client_id)
    const grant = new provider.Grant({ accountId: 'alice', clientId: client.client.client_id })
    grant.addOIDCScope('openid')
    const code = new provider.AuthorizationCode({
      accountId: 'alice',
      client: registered!,
      grantId: await grant.save(),
      redirectUri: REDIRECT_URI,
      scope: 'openid',
      codeChallenge: query.get('code_challenge') ?? undefined,
      codeChallengeMethod: query.get('code_challenge_method') ?? undefined,
      gty: 'authorization_code',
    })
    const answer = { code: await code.save(), state: query.get('state') ?? '', iss: ISSUER }
    return `${REDIRECT_URI}?${new URLSearchParams(answer).toString()}`
  }

  it('registers, gets tokens for a code, refreshes and revokes', async () => {
    const registered = await client.register()
    expect(registered.client_secret).to.be.a('string')
    const pending = await client.authorize({ scope: 'openid' })
    expect(new URL(pending.url).searchParams.get('code_challenge_method')).to.equal('S256')
    const tokens = await client.exchange(await consent(pending.url), pending)
    const renewed = await client.refresh(String(tokens.refresh_token))
    const me = await client.call(renewed.access_token, 'GET', `${ISSUER}/me`)
    expect(await me.json()).to.deep.equal({ sub: 'alice' })
    await client.revoke(renewed.access_token)
    const refused = await client.call(renewed.access_token, 'GET', `${ISSUER}/me`).catch((e) => e)
    expect(refused).to.be.instanceOf(WWWAuthenticateChallengeError)
  })

  const forged: readonly (readonly [what: string, change: (callback: URL) => void])[] = [
    ['another state', (callback) => callback.searchParams.set('state', 'forged')],
    ['another issuer', (callback) => callback.searchParams.set('iss', 'https://evil.example')],
    ['no issuer', (callback) => callback.searchParams.delete('iss')],
    ['an error', (callback) => callback.searchParams.set('error', 'access_denied')],
  ]
  for (const [what, change] of forged) {
    it(`refuses a callback with ${what}`, async () => {
      await client.register()
      const pending = await client.authorize({ scope: 'openid' })
      const callback = new URL(await consent(pending.url))
      change(callback)
      expect(await client.exchange(callback.href, pending).catch((e) => e)).to.be.an('error')
    })
  }
})
