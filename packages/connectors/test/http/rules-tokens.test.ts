import { MINUTE_MS } from '@svc/platform'
import { sqliteStore } from '@svc/store/sqlite'
import { type BrowserResponse, type FakeClock, fakeClock } from '@svc/testkit'
import { expect } from 'chai'
import { afterEach, beforeEach, describe, it } from 'mocha'
import type { AccountDocument } from '../../src/accounts/account.ts'
import { HOME } from '../support/connectors-server.ts'
import { beginAndAllow } from '../support/flow-steps.ts'
import {
  BANK,
  codeIn,
  type RefreshAnswer,
  type RefreshServer,
  startRefresh,
} from '../support/refresh-server.ts'

/** connectors.md 7.4, 9; D28 */
describe('tokens at the endpoints of accounts', () => {
  let server: RefreshServer
  let clock: FakeClock
  let account: AccountDocument

  beforeEach(async () => {
    clock = fakeClock()
    server = await startRefresh({
      store: sqliteStore({ file: ':memory:', clock }),
      clock,
      connectors: { exposeRefreshToken: true },
    })
    await server.putImported()
    account = await server.importBank()
  })
  afterEach(async () => {
    await server.close()
    await server.store.close()
  })

  function ask(
    token: string | undefined,
    headers: Readonly<Record<string, string | undefined>> = {},
    { method = 'POST', query = '', session = 'tab' as string | null } = {},
  ): Promise<BrowserResponse> {
    const path = `/accounts/bank/${account._id}`
    return server
      .browser({ session })
      .request(method, `${path}${method === 'POST' ? '/refresh' : ''}${query}`, {
        headers: { ...(token !== undefined && { authorization: `Bearer ${token}` }), ...headers },
      })
  }
  const asked = (): number => server.provider.requests.length

  it('of a web app count with the session of their owner alone, and while the app is installed', async () => {
    const token = await server.oauth.appTokens.issue(server.alice, HOME, 'tab')
    expect((await ask(token)).status).to.equal(200)
    const before = asked()
    expect((await ask(token, {}, { session: null })).status).to.equal(401)
    server.logins.live.delete('tab')
    expect((await ask(token)).status).to.equal(401)
    server.logins.live.add('tab')
    server.apps.delete('home')
    expect((await ask(token)).status).to.equal(401)
    expect(asked()).to.equal(before)
  })

  it('of a web app bring the access token, but neither refresh token nor what else the provider told', async () => {
    const token = await server.oauth.appTokens.issue(server.alice, HOME, 'tab')
    const { attributes } = (await ask(token)).json<RefreshAnswer>().data
    expect(attributes.oauth['access_token']).to.be.a('string')
    expect(attributes.oauth).not.to.have.any.keys('refresh_token', 'client_secret')
    expect(attributes).not.to.have.property('oauth_callback_results')
    expect(JSON.stringify(attributes)).not.to.include('_encrypted')
  })

  it('of another connector bring no more, though it may read the account', async () => {
    server.konnectors.set('nosy', { ...BANK, slug: 'nosy' })
    const { attributes } = (await ask(await server.konnectorToken('nosy'))).json<RefreshAnswer>()
      .data
    expect(attributes.oauth['access_token']).to.be.a('string')
    expect(attributes.oauth).not.to.have.property('refresh_token')
    const own = (await ask(await server.konnectorToken())).json<RefreshAnswer>().data
    expect(own.attributes.oauth['refresh_token']).to.be.a('string')
  })

  it('of a connector named like the type are those of a stranger when the type is of another', async () => {
    await server.putImported({ slug: 'tax' })
    const { attributes } = (await ask(await server.konnectorToken())).json<RefreshAnswer>().data
    expect(attributes.oauth).not.to.have.property('refresh_token')
  })

  it('of a connector live for 30 minutes', async () => {
    const token = await server.konnectorToken()
    clock.advance(29 * MINUTE_MS)
    expect((await ask(token)).status).to.equal(200)
    clock.advance(2 * MINUTE_MS)
    const answer = await ask(token)
    expect(answer.status).to.equal(401)
    expect(answer.headers['www-authenticate']).to.match(/^Bearer error="invalid_token"/)
  })

  it('of another owner are none here', async () => {
    const token = await server.oauth.konnectorTokens.issue(server.bob, 'bank')
    expect((await ask(token)).status).to.equal(401)
    expect(asked()).to.equal(0)
  })

  it('count in the header alone: not in the query, not as a cookie, not by the session', async () => {
    const token = await server.konnectorToken()
    for (const name of ['access_token', 'bearer_token', 'token']) {
      const answer = await ask(undefined, {}, { query: `?${name}=${token}` })
      expect(answer.status).to.be.within(400, 401)
    }
    expect((await ask(undefined)).status).to.equal(401)
    expect((await ask(undefined, { cookie: `token=${token}` })).status).to.equal(401)
    expect((await ask(undefined, { authorization: `Basic ${token}` })).status).to.equal(401)
    expect(asked()).to.equal(0)
  })

  it('that are good are told from a refresh token that is not: 401 without a challenge, with the code', async () => {
    server.provider.script('token', { status: 400, body: { error: 'invalid_grant' } })
    const answer = await ask(await server.konnectorToken())
    expect([answer.status, codeIn(answer)]).to.deep.equal([401, 'oauth_refresh_invalid_token'])
    expect(answer.headers).not.to.have.property('www-authenticate')
    expect(answer.json<{ errors: unknown }>().errors).to.deep.equal([
      {
        status: '401',
        title: 'Unauthorized',
        code: 'oauth_refresh_invalid_token',
        detail: 'OAuth refresh token is invalid or expired; reconnect account.',
      },
    ])
  })

  it('are for scripts of the own apps, and a flow is for no script', async () => {
    const token = await server.konnectorToken()
    const home = 'https://home.alice.example.com'
    const own = await ask(token, { origin: home })
    expect(own.headers['access-control-allow-origin']).to.equal(home)
    for (const origin of ['https://evil.example', 'null', 'https://home.bob.example.com']) {
      const answer = await ask(token, { origin })
      expect(answer.headers).not.to.have.property('access-control-allow-origin')
    }
    await server.putType()
    const browser = server.browser()
    const url = await beginAndAllow(browser)
    for (const target of [
      '/accounts/bank/start',
      `/accounts/bank/${account._id}/reconnect`,
      '/accounts/bank/complete?ticket=x',
      url,
    ]) {
      const answer = await browser.get(target, { headers: { origin: home } })
      expect(answer.headers, target).not.to.have.property('access-control-allow-origin')
      const preflight = await browser.request('OPTIONS', target, {
        headers: { origin: home, 'access-control-request-method': 'GET' },
      })
      expect(preflight.headers, target).not.to.have.property('access-control-allow-origin')
    }
  })
})
