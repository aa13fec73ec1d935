import type { BrowserResponse } from '@svc/testkit'
import { expect } from 'chai'
import { beforeEach, describe, it } from 'mocha'
import type { ConnectorsOptions } from '../../src/options.ts'
import { type ConnectorsServer, startConnectors } from '../support/connectors-server.ts'
import { appQuery, beginAndAllow, JSON_API, liveStates, refusalOf } from '../support/flow-steps.ts'
import { type RefreshServer, startRefresh } from '../support/refresh-server.ts'

/** One for each well-known document. */
const FAILURES = [{ status: 500 }, { status: 500 }]

/** connectors.md 4.2 (6), (7), 4.6, 5.3 (4), 8.4, 10: a type that knows no more than its issuer. */
describe('a provider that does not say what it is any more', () => {
  let server: RefreshServer

  beforeEach(async () => {
    server = await startRefresh({
      // What was found is asked for again at once.
      connectors: { lifetimes: { metadata: 1 } },
    })
    await put('authorization_code')
  })

  async function put(mode: 'authorization_code' | 'refresh_token'): Promise<void> {
    await server.connectors.accountTypes.put({
      _id: 'bank',
      slug: 'bank',
      grant_mode: mode,
      trusted_network: true,
      client_id: 'client-1',
      client_secret: 'secret-1',
      issuer: server.provider.origin,
    })
  }

  async function answered(
    change: (query: URLSearchParams) => void = () => {},
  ): Promise<BrowserResponse> {
    const browser = server.browser()
    const url = new URL(await beginAndAllow(browser, '/accounts/bank/start?state=s'))
    change(url.searchParams)
    server.provider.script('metadata', ...FAILURES)
    return browser.get(url.href)
  }

  const told = (answer: BrowserResponse): unknown => [...appQuery(answer)]
  const faults = (): readonly string[] =>
    server.logged.filter((line) => line.startsWith('error') || line.includes('misconfigured'))

  it('is unavailable, as the app is told, and nothing of ours is at fault', async () => {
    expect(told(await answered())).to.deep.equal([
      ['state', 's'],
      ['error', 'provider_unavailable'],
    ])
    expect(faults()).to.deep.equal([])
  })

  it('has refused all the same when its answer says so: it is not asked for that', async () => {
    const answer = await answered((query) => {
      query.delete('code')
      query.set('error', 'access_denied')
    })
    expect(told(answer)).to.deep.equal([
      ['state', 's'],
      ['error', 'access_denied'],
    ])
  })

  it('is still told from another issuer', async () => {
    const answer = await answered((query) => query.set('iss', 'https://evil.example'))
    expect(told(answer)).to.deep.equal([
      ['state', 's'],
      ['error', 'issuer_mismatch'],
    ])
  })

  it('cannot be gone to: 502 with Retry-After, on a page for browsers, and nothing is remembered', async () => {
    server.provider.script('metadata', ...FAILURES)
    const path = '/accounts/bank/start'
    const answer = await server.browser().get(path, { headers: JSON_API })
    expect(refusalOf(answer)).to.deep.equal([502, 'oauth_provider_unavailable'])
    expect(answer.headers['retry-after']).to.equal('30')
    expect(answer.setCookies).to.deep.equal([])
    const page = await server.browser().get(path)
    expect(page.status).to.equal(502)
    expect(page.headers['content-type']).to.match(/^text\/html/)
    expect(await liveStates(server)).to.equal(0)
    expect(server.logged.join()).not.to.include('misconfigured')
  })

  it('is unavailable at a refresh, not badly configured', async () => {
    await put('refresh_token')
    const { _id } = await server.importBank()
    server.provider.script('metadata', ...FAILURES)
    const answer = await server.refresh(_id)
    expect(refusalOf(answer)).to.deep.equal([502, 'oauth_provider_unavailable'])
    expect((await server.stored(_id)).oauth?.status).to.equal('refresh_failing')
  })
})

const WITH_OAUTH: ConnectorsOptions['manifests'] = {
  manifestOf: async (_, slug) =>
    slug === 'plain' ? { slug } : slug === 'unknown' ? undefined : { slug, oauth: {} },
}

/** connectors.md 12 */
describe('oauthAvailable', () => {
  let server: ConnectorsServer

  async function open(connectors: Partial<ConnectorsOptions>): Promise<void> {
    server = await startConnectors({ connectors })
    await server.putType()
    await server.putType({ _id: 'plain', slug: 'plain' })
    await server.putType({ _id: 'unknown', slug: 'unknown' })
    await server.putType({ _id: 'imported', slug: 'imported', grant_mode: 'refresh_token' })
  }

  const isAvailable = (slug: string): Promise<boolean> =>
    server.connectors.oauthAvailable(server.alice, slug)

  it('is true for a manifest with oauth and an interactive type of its slug', async () => {
    await open({ manifests: WITH_OAUTH })
    expect(await isAvailable('bank')).to.equal(true)
  })

  it('is false without oauth in the manifest, without a manifest, without an interactive type', async () => {
    await open({ manifests: WITH_OAUTH })
    for (const slug of ['plain', 'unknown', 'imported', 'nothing']) {
      expect(await isAvailable(slug), slug).to.equal(false)
    }
  })

  it('follows the types alone where no manifests are known', async () => {
    await open({})
    expect(await isAvailable('plain')).to.equal(true)
    expect(await isAvailable('nothing')).to.equal(false)
  })

  it('knows a type that names no slug by its name', async () => {
    await open({ manifests: WITH_OAUTH })
    const { entry } = server.provider
    const own = { _id: 'own', grant_mode: 'authorization_code', trusted_network: true, ...entry }
    await server.connectors.accountTypes.put(own)
    expect(await isAvailable('own')).to.equal(true)
  })

  it('is false for types that only connectors could exchange, unless that is allowed (D38)', async () => {
    for (const allowClientSideExchange of [false, true]) {
      await open({ manifests: WITH_OAUTH, allowClientSideExchange })
      const { token_endpoint: _, ...entry } = server.provider.entry
      await server.connectors.accountTypes.put({
        _id: 'own',
        slug: 'own',
        grant_mode: 'authorization_code',
        trusted_network: true,
        ...entry,
      })
      expect(await isAvailable('own')).to.equal(allowClientSideExchange)
    }
  })
})

/** connectors.md 6.7, decision D38 */
describe('a type whose connector exchanges the code itself', () => {
  let server: ConnectorsServer

  beforeEach(async () => {
    server = await startConnectors({
      connectors: { allowClientSideExchange: true },
    })
    const { token_endpoint: _, ...entry } = server.provider.entry
    await server.connectors.accountTypes.put({
      _id: 'bank',
      slug: 'bank',
      grant_mode: 'authorization_code',
      trusted_network: true,
      ...entry,
    })
  })

  it('gets the query of the answer, without state and iss, and nobody asks for a token', async () => {
    const browser = server.browser()
    const url = `${await beginAndAllow(browser)}&region=eu&iss=https%3A%2F%2Fx.example`
    const query = appQuery(await browser.get(url))
    expect(server.provider.requestsOf('token')).to.have.length(0)
    const [account] = await server.accountsOf()
    expect(query.get('account')).to.equal(account?._id)
    if (account === undefined) throw new Error('there is no account')
    const shown = await server.connectors.view(server.alice, account, {
      kind: 'konnector',
      slug: 'bank',
    })
    const { oauth } = shown as { oauth: { query: Record<string, string[]>; client_secret: string } }
    expect(oauth.query).to.deep.equal({
      code: [new URL(url).searchParams.get('code')],
      region: ['eu'],
    })
    expect(oauth.client_secret).to.equal('secret-1')
  })

  it('is told to the app when the provider refuses', async () => {
    const browser = server.browser()
    const url = new URL(await beginAndAllow(browser))
    url.searchParams.set('error', 'access_denied')
    const query = appQuery(await browser.get(url.href))
    expect([...query]).to.deep.equal([['error', 'access_denied']])
    expect(await server.accountsOf()).to.deep.equal([])
  })
})
