import { sqliteStore } from '@svc/store/sqlite'
import type { BrowserResponse } from '@svc/testkit'
import { expect } from 'chai'
import { afterEach, beforeEach, describe, it } from 'mocha'
import { appQuery, beginAndAllow, errorCode, JSON_API, liveStates } from '../support/flow-steps.ts'
import { codeIn, type RefreshServer, startRefresh } from '../support/refresh-server.ts'

/** One for each well-known document. */
const FAILURES = [{ status: 500 }, { status: 500 }]

/** connectors.md 4.2 (6), (7), 4.6, 5.3 (4), 8.4, 10: a type that knows no more than its issuer. */
describe('a provider that does not say what it is any more', () => {
  let server: RefreshServer

  beforeEach(async () => {
    server = await startRefresh({
      store: sqliteStore({ file: ':memory:' }),
      // What was found is asked for again at once.
      connectors: { lifetimes: { metadata: 1 } },
    })
    await put('authorization_code')
  })
  afterEach(async () => {
    await server.close()
    await server.store.close()
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
    expect(answer.status).to.equal(502)
    expect(errorCode(answer)).to.equal('oauth_provider_unavailable')
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
    expect([answer.status, codeIn(answer)]).to.deep.equal([502, 'oauth_provider_unavailable'])
    expect((await server.stored(_id)).oauth?.status).to.equal('refresh_failing')
  })
})
