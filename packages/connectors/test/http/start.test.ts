import type { AppManifest } from '@svc/oauth-core'
import { type FakeClock, fakeClock } from '@svc/testkit'
import { expect } from 'chai'
import { beforeEach, describe, it } from 'mocha'
import type { ConnectorsOptions } from '../../src/options.ts'
import { type ConnectorsServer, startConnectors } from '../support/connectors-server.ts'
import { begin, JSON_API, liveStates, refusalOf } from '../support/flow-steps.ts'

const START = '/accounts/bank/start'

/** connectors.md 4.1, 5 */
describe('GET /accounts/:accountType/start', () => {
  let server: ConnectorsServer
  let clock: FakeClock

  async function open(
    connectors: Partial<ConnectorsOptions> = {},
    provider: Parameters<typeof startConnectors>[0]['provider'] = {},
  ): Promise<void> {
    clock = fakeClock()
    server = await startConnectors({ clock, connectors, provider })
    await server.putType()
  }
  beforeEach(() => open())

  describe('sends the owner to the provider', () => {
    it('with 302, a state of 43 characters and the address of this type on the instance', async () => {
      const { answer, parameters, state } = await begin(server.browser(), `${START}?scope=a+b`)
      expect(answer.location).to.match(new RegExp(`^${server.provider.origin}/authorize\\?`))
      expect(state).to.match(/^[A-Za-z0-9_-]{43}$/)
      parameters.delete('state')
      expect(Object.fromEntries(parameters)).to.deep.equal({
        response_type: 'code',
        client_id: 'client-1',
        redirect_uri: 'https://alice.example.com/accounts/bank/redirect',
        scope: 'a b',
      })
      expect(answer.headers).to.include({
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
      })
      expect(answer.text).to.equal('')
    })

    it('with another state each time', async () => {
      const browser = server.browser()
      expect((await begin(browser)).state).not.to.equal((await begin(browser)).state)
    })

    it('with the redirect_uri of the type, or on the callback host when there is one (D38)', async () => {
      await server.putType({ redirect_uri: 'https://bob.example.com/accounts/bank/redirect' })
      const own = await begin(server.browser())
      expect(own.parameters.get('redirect_uri')).to.equal(
        'https://bob.example.com/accounts/bank/redirect',
      )
      await open({ callbackUrl: 'https://oauth.example.org' })
      const common = await begin(server.browser())
      expect(common.parameters.get('redirect_uri')).to.equal(
        'https://oauth.example.org/accounts/bank/redirect',
      )
    })

    it('without a context in the redirect_uri, with the entry of the context', async () => {
      await server.putType({ _id: 'beta/bank', client_id: 'client-of-beta' })
      await server.oauth.instances.update(server.alice.id, { context: 'beta' })
      const { parameters } = await begin(server.browser())
      expect(parameters.get('client_id')).to.equal('client-of-beta')
      expect(parameters.get('redirect_uri')).to.equal(
        'https://alice.example.com/accounts/bank/redirect',
      )
    })

    it('with scopes that the preset adds', async () => {
      await server.connectors.accountTypes.put({
        _id: 'office',
        preset: 'microsoft',
        client_id: 'client-1',
        client_secret: 'secret-1',
      })
      const { parameters } = await begin(server.browser(), '/accounts/office/start?scope=Mail.Read')
      expect(parameters.get('scope')).to.equal('Mail.Read offline_access')
    })
  })

  /** connectors.md 5.2, K9 */
  describe('proves itself by PKCE', () => {
    async function challengeOf(): Promise<string | null> {
      const { parameters } = await begin(server.browser())
      const challenge = parameters.get('code_challenge')
      expect(parameters.get('code_challenge_method')).to.equal(challenge === null ? null : 'S256')
      return challenge
    }

    it('when the type says so', async () => {
      await server.putType({ pkce: 'S256' })
      expect(await challengeOf()).to.match(/^[A-Za-z0-9_-]{43}$/)
    })

    it('when there is no client secret', async () => {
      await open({}, { clientSecret: null })
      expect(await challengeOf()).to.match(/^[A-Za-z0-9_-]{43}$/)
    })

    it('when the provider says that it knows S256, unless the type says off', async () => {
      await server.putType({ issuer: server.provider.origin })
      expect(await challengeOf()).to.match(/^[A-Za-z0-9_-]{43}$/)
      await server.putType({ issuer: server.provider.origin, pkce: 'off' })
      expect(await challengeOf()).to.equal(null)
    })

    it('not otherwise', async () => {
      expect(await challengeOf()).to.equal(null)
    })
  })

  it('sends a nonce of its own with openid', async () => {
    const { parameters } = await begin(server.browser(), `${START}?scope=openid&nonce=theirs`)
    expect(parameters.get('nonce')).to.match(/^[A-Za-z0-9_-]{43}$/)
  })

  /** connectors.md 4.1 (2) to (4) */
  describe('is for the owner', () => {
    it('answers 403 login_required to others, before it says anything about types', async () => {
      for (const path of [START, '/accounts/nothing/start', `${START}?slug=nothing`]) {
        const answer = await server.browser({ session: null }).get(path, { headers: JSON_API })
        expect(refusalOf(answer)).to.deep.equal([403, 'login_required'])
        expect(answer.setCookies).to.deep.equal([])
      }
    })

    it('takes a bearer for nobody', async () => {
      const token = await server.oauth.appTokens.issue(server.alice, homeApp(server), 'tab')
      const headers = { ...JSON_API, authorization: `Bearer ${token}` }
      const answer = await server.browser({ session: null }).get(START, { headers })
      expect(answer.status).to.equal(403)
    })

    it('logs in whoever brings a session code, once', async () => {
      server.logins.codes.add('code-1')
      const first = await server.browser({ session: null }).get(`${START}?session_code=code-1`)
      expect(first.status).to.equal(302)
      expect(first.setCookies.map(({ name }) => name)).to.deep.equal(['session', '__Host-svc_acct'])
      const second = await server.browser({ session: null }).get(`${START}?session_code=code-1`)
      expect(second.status).to.equal(403)
    })

    it('uses a session code up even when the owner is logged in, or the type does not exist', async () => {
      for (const [session, path] of [
        ['tab', START],
        [null, '/accounts/nothing/start'],
      ] as const) {
        server.logins.codes.add('code-1')
        await server.browser({ session }).get(`${path}?session_code=code-1`)
        expect([...server.logins.codes]).to.deep.equal([])
      }
    })

    it('sets no cookie with an error, of a code that was good neither', async () => {
      server.logins.codes.add('code-1')
      const browser = server.browser({ session: null })
      const answer = await browser.get('/accounts/nothing/start?session_code=code-1')
      expect(answer.status).to.equal(404)
      expect(answer.setCookies).to.deep.equal([])
    })

    it('takes a wrong code for none', async () => {
      expect((await server.browser().get(`${START}?session_code=wrong`)).status).to.equal(302)
      const stranger = server.browser({ session: null })
      expect((await stranger.get(`${START}?session_code=wrong`)).status).to.equal(403)
    })

    for (const mode of ['cors', 'no-cors', 'same-origin', 'websocket']) {
      it(`answers 403 navigation_required to Sec-Fetch-Mode ${mode}`, async () => {
        const headers = { ...JSON_API, 'sec-fetch-mode': mode }
        const answer = await server.browser().get(START, { headers })
        expect(refusalOf(answer)).to.deep.equal([403, 'navigation_required'])
      })
    }

    it('believes browsers that do not say how a request came about', async () => {
      const headers = { 'sec-fetch-mode': undefined }
      expect((await server.browser().get(START, { headers })).status).to.equal(302)
    })
  })

  /** connectors.md 4.1 (5) to (7), 10 */
  describe('refuses', () => {
    for (const [path, status, code] of [
      ['/accounts/nothing/start', 404, 'account_type_not_found'],
      ['/accounts/beta%2Fbank/start', 404, 'account_type_not_found'],
      ['/accounts/BANK/start', 404, 'account_type_not_found'],
      ['/accounts/imported/start', 400, 'grant_mode_not_interactive'],
      ['/accounts/imported/start?slug=nothing', 400, 'grant_mode_not_interactive'],
      [`${START}?slug=nothing`, 400, 'invalid_slug'],
      [`${START}?state=%0a`, 400, 'invalid_request'],
      [`${START}?state=${'x'.repeat(1025)}`, 400, 'invalid_request'],
      [`${START}?state=a&state=b`, 400, 'invalid_request'],
      [`${START}?x=${'x'.repeat(8192)}`, 400, 'invalid_request'],
      [`${START}?state=%ff`, 400, 'invalid_request'],
    ] as const) {
      it(`${path.slice(0, 50)} with ${status} ${code}, and remembers nothing`, async () => {
        await server.putType({ _id: 'beta/bank' })
        await server.putType({ _id: 'imported', grant_mode: 'refresh_token' })
        const answer = await server.browser().get(path, { headers: JSON_API })
        expect(refusalOf(answer)).to.deep.equal([status, code])
        expect(answer.contentType).to.equal('application/vnd.api+json')
        expect(answer.setCookies).to.deep.equal([])
        expect(await liveStates(server)).to.equal(0)
      })
    }

    it('types without a token endpoint with 500 (D38)', async () => {
      const { token_endpoint: _, ...entry } = server.provider.entry
      const clientSide = { _id: 'bank', grant_mode: 'authorization_code', ...entry }
      await server.connectors.accountTypes.put({ ...clientSide, trusted_network: true })
      const answer = await server.browser().get(START, { headers: JSON_API })
      expect(answer.status).to.equal(500)
      expect(answer.json()).to.deep.equal({
        errors: [
          { status: '500', code: 'account_type_misconfigured', title: 'Internal Server Error' },
        ],
      })
    })

    it('a scope beyond the manifest when that is enforced', async () => {
      await open({
        enforceManifestScope: true,
        manifests: { manifestOf: async (_, slug) => ({ slug, oauth: { scope: ['a'] } }) },
      })
      const answer = await server.browser().get(`${START}?scope=a+b`, { headers: JSON_API })
      expect(refusalOf(answer)).to.deep.equal([400, 'invalid_scope'])
    })

    it('with a page to browsers, which keeps the opener of a pop-up (D55)', async () => {
      const answer = await server.browser().get('/accounts/nothing/start')
      expect(answer.status).to.equal(404)
      expect(answer.contentType).to.equal('text/html')
      expect(answer.page().title).to.equal('account_type_not_found')
      expect(answer.headers).to.include({
        'cache-control': 'no-store',
        'cross-origin-opener-policy': 'unsafe-none',
        'referrer-policy': 'no-referrer',
      })
    })

    it('more than 30 a minute with 429, counting those of owners alone', async () => {
      const stranger = server.browser({ session: null })
      for (let at = 0; at < 31; at += 1) await stranger.get(START)
      const browser = server.browser()
      for (let at = 0; at < 30; at += 1) {
        expect((await browser.get(START)).status).to.equal(302)
      }
      const answer = await browser.get(START, { headers: JSON_API })
      expect(answer.status).to.equal(429)
      expect(Number(answer.headers['retry-after'])).to.be.within(1, 60)
      clock.advance(61_000)
      expect((await browser.get(START)).status).to.equal(302)
    })
  })

  /** connectors.md 4 */
  describe('is used up by nothing but a GET', () => {
    for (const [method, headers, status] of [
      ...['HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].map(
        (each) => [each, {}, 405] as const,
      ),
      ['GET', { 'Sec-Purpose': 'prefetch;prerender' }, 204],
      ['GET', { Purpose: 'prefetch' }, 204],
    ] as const) {
      it(`answers ${method} ${JSON.stringify(headers)} with ${status}`, async () => {
        server.logins.codes.add('code-1')
        const path = `${START}?session_code=code-1`
        const answer = await server.browser().request(method, path, { headers })
        expect(answer).to.include({ status, ...(status === 204 && { text: '' }) })
        expect(answer.headers['allow']).to.equal(status === 405 ? 'GET' : undefined)
        expect(answer.headers['referrer-policy']).to.equal('no-referrer')
        expect(answer.setCookies).to.deep.equal([])
        expect([...server.logins.codes]).to.deep.equal(['code-1'])
      })
    }
  })

  it('is not there on hosts of apps (D53), and on an alias leads to the domain', async () => {
    const browser = server.browser()
    expect(
      (await browser.get('https://home.alice.example.com/accounts/bank/start')).status,
    ).to.equal(404)
    const alias = await browser.get(`https://alias.example.com${START}?state=s`)
    expect(alias).to.include({
      status: 302,
      location: `https://alice.example.com${START}?state=s`,
    })
  })

  /** connectors.md 4.4 (1) */
  describe('marks the browser', () => {
    it('with a cookie of the host for 15 minutes, the same one again', async () => {
      const browser = server.browser()
      const first = (await begin(browser)).answer.setCookie('__Host-svc_acct')
      expect(first?.value).to.match(/^[A-Za-z0-9_-]{43}$/)
      expect(first?.attributes).to.deep.equal({
        'max-age': '900',
        path: '/',
        httponly: true,
        samesite: 'Lax',
        secure: true,
      })
      const second = (await begin(browser)).answer.setCookie('__Host-svc_acct')
      expect(second?.value).to.equal(first?.value)
    })

    it('with a value of its own when what it sent is none', async () => {
      const headers = { cookie: 'session=tab; __Host-svc_acct=short' }
      const answer = await server.browser({ session: null }).get(START, { headers })
      expect(answer.setCookie('__Host-svc_acct')?.value).to.have.length(43)
    })

    it('not when the type or the host wants none', async () => {
      await server.putType({ browser_binding: false })
      expect((await begin(server.browser())).answer.setCookies).to.deep.equal([])
      await open({ browserBinding: 'off' })
      expect((await begin(server.browser())).answer.setCookies).to.deep.equal([])
    })
  })
})

function homeApp(server: ConnectorsServer): AppManifest {
  const home = server.apps.get('home')
  if (home === undefined) throw new Error('the home app is gone')
  return home
}
