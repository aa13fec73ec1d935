import { MINUTE_MS } from '@svc/platform'
import { type BrowserResponse, type FakeClock, fakeClock } from '@svc/testkit'
import { expect } from 'chai'
import { beforeEach, describe, it } from 'mocha'
import type { AccountDocument } from '../../../src/accounts/account.ts'
import { HOME } from '../../support/connectors-server.ts'
import { beginAndAllow, refusalOf } from '../../support/flow-steps.ts'
import {
  BANK,
  type RefreshAnswer,
  type RefreshServer,
  startRefresh,
} from '../../support/refresh-server.ts'
import { until } from '../../support/until.ts'

describe('POST /accounts/:accountType/:accountId/refresh', () => {
  let server: RefreshServer
  let account: AccountDocument

  async function start(connectors: Parameters<typeof startRefresh>[0]['connectors'] = {}) {
    server = await startRefresh({ connectors })
    await server.putImported()
    account = await server.importBank()
  }
  beforeEach(() => start())

  it('answers 401 to the token of a connector that was uninstalled (9)', async () => {
    const token = await server.konnectorToken()
    server.konnectors.delete('bank')
    expect((await server.refresh(account._id, { token })).status).to.equal(401)
  })

  it('answers 503 when it takes too long, and keeps the tokens that come later', async () => {
    await start({ lifetimes: { answer: 100 } })
    const gate = server.provider.hold('token')
    const answer = await server.refresh(account._id)
    expect(refusalOf(answer)).to.deep.equal([503, 'oauth_refresh_in_progress'])
    expect(Number(answer.headers['retry-after'])).to.be.at.least(1)
    gate.open()
    await until(async () => (await server.stored(account._id)).oauth?.refresh_seq === 1)
  })

  const rule = (values?: readonly string[], selector?: string, verbs = ['GET']) => ({
    type: 'io.svc.accounts',
    verbs,
    ...(values && { values }),
    ...(selector && { selector }),
  })

  it('takes a rule for the whole type, for the id, and for the account type (9)', async () => {
    const rules = [rule(), rule([account._id]), rule(['bank'], 'account_type')]
    for (const each of rules) {
      server.konnectors.set('other', { slug: 'other', permissions: { each } })
      const token = await server.konnectorToken('other')
      expect((await server.refresh(account._id, { token })).status).to.equal(200)
    }
  })

  it('answers 403 to a token without GET on the account (9)', async () => {
    const rules = [
      rule(['another']),
      rule(['tax'], 'account_type'),
      rule(undefined, undefined, ['POST', 'PUT', 'PATCH', 'DELETE']),
      { type: 'io.svc.files' },
    ]
    for (const each of rules) {
      server.konnectors.set('other', { slug: 'other', permissions: { each } })
      const token = await server.konnectorToken('other')
      const answer = await server.refresh(account._id, { token })
      expect(answer.status).to.equal(403)
      expect(answer.headers['www-authenticate']).to.include('insufficient_scope')
    }
    expect(server.provider.requests).to.deep.equal([])
  })

  it('answers 404 for an unknown account, one of another type, and paths that name none (10)', async () => {
    await server.putImported({ _id: 'tax', slug: 'tax' })
    server.konnectors.set('all', { slug: 'all', permissions: { each: rule() } })
    const token = await server.konnectorToken('all')
    const ask = async (id: string, type = 'bank') =>
      refusalOf(await server.refresh(id, { token, type }))
    expect(await ask('0'.repeat(32))).to.deep.equal([404, 'account_not_found'])
    expect(await ask(account._id, 'tax')).to.deep.equal([404, 'account_not_found'])
    expect(await ask(account._id, 'Bank')).to.deep.equal([404, 'account_not_found'])
    expect(await ask('%7B%7D')).to.deep.equal([404, 'account_not_found'])
    expect(await ask('x'.repeat(200))).to.deep.equal([404, 'account_not_found'])
  })

  it('does not tell who may not read it whether an account of another type exists', async () => {
    await server.putImported({ _id: 'tax', slug: 'tax' })
    const tax = await server.importBank({ accountType: 'tax' })
    expect(refusalOf(await server.refresh(tax._id))).to.deep.equal(
      refusalOf(await server.refresh('0'.repeat(32))),
    )
    const [real, none] = [tax._id, '0'.repeat(32)]
    const [first, second] = await Promise.all(
      [real, none].map((id) => server.refresh(id, { type: 'tax' })),
    )
    expect(first?.status).to.equal(403)
    expect(second?.status).to.equal(403)
  })

  it('reads the type of an account without its context prefix (2.3)', async () => {
    await server.accounts.update(server.alice, { ...account, account_type: 'some-context/bank' })
    expect((await server.refresh(account._id)).status).to.equal(200)
  })

  it('answers 404 when the type is gone (8.1)', async () => {
    await server.connectors.accountTypes.delete('bank')
    const answer = await server.refresh(account._id)
    expect(refusalOf(answer)).to.deep.equal([404, 'account_type_not_found'])
  })

  it('answers 422 for an account without tokens, or without a refresh token (8.1)', async () => {
    const { oauth, ...bare } = account
    const plain = await server.accounts.update(server.alice, bare)
    const refresh = async () => refusalOf(await server.refresh(account._id))
    expect(await refresh()).to.deep.equal([422, 'account_not_refreshable'])
    const { refresh_token_encrypted: _, ...rest } = oauth ?? { status: 'connected', refresh_seq: 0 }
    await server.accounts.update(server.alice, { ...bare, _rev: plain?._rev ?? '', oauth: rest })
    expect(await refresh()).to.deep.equal([422, 'oauth_refresh_unavailable'])
    expect(server.provider.requests).to.deep.equal([])
  })

  it('refreshes accounts of any grant mode (8.1)', async () => {
    await server.putType()
    expect((await server.refresh(account._id)).status).to.equal(200)
  })

  it('answers 400 to a parameter that comes twice, and to a revision that is none', async () => {
    expect((await server.refresh(account._id, { query: '?rev=a&rev=b' })).status).to.equal(400)
    const query = `?rev=${'x'.repeat(300)}`
    const answer = await server.refresh(account._id, { query })
    expect(refusalOf(answer)).to.deep.equal([400, 'invalid_request'])
  })

  it('answers 429 with Retry-After over its limit, for each account by itself (11)', async () => {
    await start({ limits: { 'account-refresh': { limit: 2, windowMs: 60_000 } } })
    await server.refresh(account._id)
    await server.refresh(account._id)
    const answer = await server.refresh(account._id)
    expect(refusalOf(answer)).to.deep.equal([429, 'too_many_requests'])
    expect(Number(answer.headers['retry-after'])).to.be.within(1, 60)
    expect(server.provider.requestsOf('token')).to.have.lengthOf(2)
    const other = await server.importBank()
    expect((await server.refresh(other._id)).status).to.equal(200)
  })

  it('answers 405 to other methods (4)', async () => {
    const path = `/accounts/bank/${account._id}/refresh`
    const answer = await server.browser().get(path)
    expect([answer.status, answer.headers['allow']]).to.deep.equal([405, 'POST'])
  })

  it('treats a value that does not open as refused, never as a crash (7.3.4)', async () => {
    const other = await server.importBank()
    const told: string[] = []
    server.connectors.on('account.reconnect_required', ({ code }) => told.push(code))
    await server.accounts.update(server.alice, { ...account, oauth: other.oauth! })
    for (let i = 0; i < 2; i += 1) {
      const answer = await server.refresh(account._id)
      expect(refusalOf(answer)).to.deep.equal([401, 'oauth_refresh_invalid_token'])
    }
    expect((await server.stored(account._id)).oauth?.status).to.equal('reconnect_required')
    expect(told).to.deep.equal(['oauth_refresh_invalid_token'])
    expect(server.logged.join()).to.include('error account.integrity_failed')
    expect(server.provider.requests).to.deep.equal([])
  })
})

/** connectors.md 7.4, 9; D28 */
describe('tokens at the endpoints of accounts', () => {
  let server: RefreshServer
  let clock: FakeClock
  let account: AccountDocument

  beforeEach(async () => {
    clock = fakeClock()
    server = await startRefresh({
      clock,
      connectors: { exposeRefreshToken: true },
    })
    await server.putImported()
    account = await server.importBank()
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
