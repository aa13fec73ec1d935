import type { AppManifest } from '@svc/oauth-core'
import { sqliteStore } from '@svc/store/sqlite'
import { type FakeClock, fakeClock } from '@svc/testkit'
import { expect } from 'chai'
import { afterEach, beforeEach, describe, it } from 'mocha'
import type { ConnectorsOptions } from '../../src/options.ts'
import { type ConnectorsServer, startConnectors } from '../support/connectors-server.ts'
import { begin, errorCode, JSON_API, liveStates } from '../support/flow-steps.ts'

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
    const store = sqliteStore({ file: ':memory:', clock })
    server = await startConnectors({ store, clock, connectors, provider })
  }
  beforeEach(() => open())
  afterEach(async () => {
    await server.close()
    await server.store.close()
  })

  async function reopen(...how: Parameters<typeof open>): Promise<void> {
    await server.close()
    await server.store.close()
    await open(...how)
  }

  describe('sends the owner to the provider', () => {
    it('with 302, a state of 43 characters and the address of this type on the instance', async () => {
      await server.putType()
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
      await server.putType()
      const browser = server.browser()
      expect((await begin(browser)).state).not.to.equal((await begin(browser)).state)
    })

    it('with the redirect_uri of the type, or on the callback host when there is one (D38)', async () => {
      await server.putType({ redirect_uri: 'https://bob.example.com/accounts/bank/redirect' })
      const own = await begin(server.browser())
      expect(own.parameters.get('redirect_uri')).to.equal(
        'https://bob.example.com/accounts/bank/redirect',
      )
      await reopen({ callbackUrl: 'https://oauth.example.org' })
      await server.putType()
      const common = await begin(server.browser())
      expect(common.parameters.get('redirect_uri')).to.equal(
        'https://oauth.example.org/accounts/bank/redirect',
      )
    })

    it('without a context in the redirect_uri, with the entry of the context', async () => {
      await server.putType()
      await server.putType({ _id: 'beta/bank', client_id: 'client-of-beta' })
      await server.oauth.instances.update(server.alice.id, { context: 'beta' })
      const { parameters } = await begin(server.browser())
      expect(parameters.get('client_id')).to.equal('client-of-beta')
      expect(parameters.get('redirect_uri')).to.equal(
        'https://alice.example.com/accounts/bank/redirect',
      )
    })

    it('with the scopes of the manifest when the app names none', async () => {
      await reopen({
        manifests: {
          manifestOf: async (_, slug) =>
            slug === 'bank' ? { slug, oauth: { scope: ['a b', 'c'] } } : undefined,
        },
      })
      await server.putType({ scope_separator: ',' })
      const { parameters } = await begin(server.browser())
      expect(parameters.get('scope')).to.equal('a,b,c')
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
      await reopen({}, { clientSecret: null })
      await server.putType()
      expect(await challengeOf()).to.match(/^[A-Za-z0-9_-]{43}$/)
    })

    it('when the provider says that it knows S256, unless the type says off', async () => {
      await server.putType({ issuer: server.provider.origin })
      expect(await challengeOf()).to.match(/^[A-Za-z0-9_-]{43}$/)
      await server.putType({ issuer: server.provider.origin, pkce: 'off' })
      expect(await challengeOf()).to.equal(null)
    })

    it('not otherwise', async () => {
      await server.putType()
      expect(await challengeOf()).to.equal(null)
    })
  })

  it('finds endpoints that the entry lacks at the issuer', async () => {
    const { origin } = server.provider
    await server.connectors.accountTypes.put({
      _id: 'bank',
      grant_mode: 'authorization_code',
      client_id: 'client-1',
      client_secret: 'secret-1',
      issuer: origin,
      trusted_network: true,
    })
    const { answer } = await begin(server.browser())
    expect(answer.location).to.match(new RegExp(`^${origin}/authorize\\?`))
  })

  it('sends a nonce of its own with openid', async () => {
    await server.putType()
    const { parameters } = await begin(server.browser(), `${START}?scope=openid&nonce=theirs`)
    expect(parameters.get('nonce')).to.match(/^[A-Za-z0-9_-]{43}$/)
  })

  /** connectors.md 4.1 (2) to (4) */
  describe('is for the owner', () => {
    it('answers 403 login_required to others, before it says anything about types', async () => {
      await server.putType()
      for (const path of [START, '/accounts/nothing/start', `${START}?slug=nothing`]) {
        const answer = await server.browser({ session: null }).get(path, { headers: JSON_API })
        expect(answer.status).to.equal(403)
        expect(errorCode(answer)).to.equal('login_required')
        expect(answer.setCookies).to.deep.equal([])
      }
    })

    it('takes a bearer for nobody', async () => {
      await server.putType()
      const token = await server.oauth.appTokens.issue(server.alice, homeApp(server), 'tab')
      const headers = { ...JSON_API, authorization: `Bearer ${token}` }
      const answer = await server.browser({ session: null }).get(START, { headers })
      expect(answer.status).to.equal(403)
    })

    it('logs in whoever brings a session code, once', async () => {
      await server.putType()
      server.logins.codes.add('code-1')
      const first = await server.browser({ session: null }).get(`${START}?session_code=code-1`)
      expect(first.status).to.equal(302)
      expect(first.setCookies.map(({ name }) => name)).to.deep.equal(['session', '__Host-svc_acct'])
      const second = await server.browser({ session: null }).get(`${START}?session_code=code-1`)
      expect(second.status).to.equal(403)
    })

    it('uses a session code up even when the owner is logged in, or the type does not exist', async () => {
      await server.putType()
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
      await server.putType()
      expect((await server.browser().get(`${START}?session_code=wrong`)).status).to.equal(302)
      const stranger = server.browser({ session: null })
      expect((await stranger.get(`${START}?session_code=wrong`)).status).to.equal(403)
    })

    for (const mode of ['cors', 'no-cors', 'same-origin', 'websocket']) {
      it(`answers 403 navigation_required to Sec-Fetch-Mode ${mode}`, async () => {
        await server.putType()
        const headers = { ...JSON_API, 'sec-fetch-mode': mode }
        const answer = await server.browser().get(START, { headers })
        expect(answer.status).to.equal(403)
        expect(errorCode(answer)).to.equal('navigation_required')
      })
    }

    it('believes browsers that do not say how a request came about', async () => {
      await server.putType()
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
        await server.putType()
        await server.putType({ _id: 'beta/bank' })
        await server.putType({ _id: 'imported', grant_mode: 'refresh_token' })
        const answer = await server.browser().get(path, { headers: JSON_API })
        expect(answer.status, answer.text).to.equal(status)
        expect(errorCode(answer)).to.equal(code)
        expect(answer.contentType).to.equal('application/vnd.api+json')
        expect(answer.setCookies).to.deep.equal([])
        expect(await liveStates(server)).to.equal(0)
      })
    }

    it('types without a token endpoint with 500, unless the operator allows them (D38)', async () => {
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
      await reopen({ allowClientSideExchange: true })
      const other = server.provider.entry
      await server.connectors.accountTypes.put({
        ...clientSide,
        ...other,
        token_endpoint: undefined,
        trusted_network: true,
      })
      expect((await server.browser().get(START)).status).to.equal(302)
    })

    it('a scope beyond the manifest when that is enforced', async () => {
      await reopen({
        enforceManifestScope: true,
        manifests: { manifestOf: async (_, slug) => ({ slug, oauth: { scope: ['a'] } }) },
      })
      await server.putType()
      const answer = await server.browser().get(`${START}?scope=a+b`, { headers: JSON_API })
      expect(answer.status).to.equal(400)
      expect(errorCode(answer)).to.equal('invalid_scope')
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
      await server.putType()
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
    for (const method of ['HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      it(`answers ${method} with 405 and Allow: GET`, async () => {
        await server.putType()
        server.logins.codes.add('code-1')
        const answer = await server.browser().request(method, `${START}?session_code=code-1`)
        expect(answer.status).to.equal(405)
        expect(answer.headers).to.include({ allow: 'GET', 'referrer-policy': 'no-referrer' })
        expect(answer.setCookies).to.deep.equal([])
        expect([...server.logins.codes]).to.deep.equal(['code-1'])
      })
    }

    for (const [name, value] of [
      ['Sec-Purpose', 'prefetch;prerender'],
      ['Purpose', 'prefetch'],
    ] as const) {
      it(`answers ${name}: ${value} with 204`, async () => {
        await server.putType()
        server.logins.codes.add('code-1')
        const headers = { [name]: value }
        const answer = await server.browser().get(`${START}?session_code=code-1`, { headers })
        expect(answer).to.include({ status: 204, text: '' })
        expect(answer.setCookies).to.deep.equal([])
        expect([...server.logins.codes]).to.deep.equal(['code-1'])
      })
    }
  })

  it('is not there on hosts of apps (D53), and on an alias leads to the domain', async () => {
    await server.putType()
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
      await server.putType()
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
      await server.putType()
      const headers = { cookie: 'session=tab; __Host-svc_acct=short' }
      const answer = await server.browser({ session: null }).get(START, { headers })
      expect(answer.setCookie('__Host-svc_acct')?.value).to.have.length(43)
    })

    it('not when the type or the host wants none', async () => {
      await server.putType({ browser_binding: false })
      expect((await begin(server.browser())).answer.setCookies).to.deep.equal([])
      await reopen({ browserBinding: 'off' })
      await server.putType()
      expect((await begin(server.browser())).answer.setCookies).to.deep.equal([])
    })
  })
})

function homeApp(server: ConnectorsServer): AppManifest {
  const home = server.apps.get('home')
  if (home === undefined) throw new Error('the home app is gone')
  return home
}
