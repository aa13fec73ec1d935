import type { BrowserResponse } from '@svc/testkit'
import { sqliteStore } from '@svc/store/sqlite'
import { expect } from 'chai'
import { afterEach, beforeEach, describe, it } from 'mocha'
import type { AccountDocument } from '../../../src/accounts/account.ts'
import { until } from '../../support/until.ts'
import { codeIn, type RefreshServer, startRefresh, tokenIn } from '../../support/refresh-server.ts'

describe('POST /accounts/:accountType/:accountId/refresh', () => {
  let server: RefreshServer
  let account: AccountDocument
  let close: () => Promise<void>

  async function start(connectors: Parameters<typeof startRefresh>[0]['connectors'] = {}) {
    const store = sqliteStore({ file: ':memory:' })
    server = await startRefresh({ store, connectors })
    close = async () => {
      await server.close()
      await store.close()
    }
    await server.putImported()
    account = await server.importBank()
  }
  beforeEach(() => start())
  afterEach(() => close())

  const outcome = (answer: BrowserResponse) => [answer.status, codeIn(answer)]

  it('answers 401 with a challenge without a token, and to a bad one (9)', async () => {
    const none = await server.refresh(account._id, { token: null })
    expect(none.status).to.equal(401)
    expect(none.headers['www-authenticate']).to.match(/^Bearer/)
    const bad = await server.refresh(account._id, { token: 'nonsense' })
    expect(bad.status).to.equal(401)
    expect(bad.headers['www-authenticate']).to.equal('Bearer error="invalid_token"')
  })

  it('answers 401 to the token of a connector that was uninstalled (9)', async () => {
    const token = await server.konnectorToken()
    server.konnectors.delete('bank')
    expect((await server.refresh(account._id, { token })).status).to.equal(401)
  })

  it('answers 503 when it takes too long, and keeps the tokens that come later', async () => {
    await close()
    await start({ lifetimes: { answer: 100 } })
    const gate = server.provider.hold('token')
    const answer = await server.refresh(account._id)
    expect(outcome(answer)).to.deep.equal([503, 'oauth_refresh_in_progress'])
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
      outcome(await server.refresh(id, { token, type }))
    expect(await ask('0'.repeat(32))).to.deep.equal([404, 'account_not_found'])
    expect(await ask(account._id, 'tax')).to.deep.equal([404, 'account_not_found'])
    expect(await ask(account._id, 'Bank')).to.deep.equal([404, 'account_not_found'])
    expect(await ask('%7B%7D')).to.deep.equal([404, 'account_not_found'])
    expect(await ask('x'.repeat(200))).to.deep.equal([404, 'account_not_found'])
  })

  it('does not tell who may not read it whether an account of another type exists', async () => {
    await server.putImported({ _id: 'tax', slug: 'tax' })
    const tax = await server.importBank({ accountType: 'tax' })
    expect(outcome(await server.refresh(tax._id))).to.deep.equal(
      outcome(await server.refresh('0'.repeat(32))),
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
    expect(outcome(await server.refresh(account._id))).to.deep.equal([
      404,
      'account_type_not_found',
    ])
  })

  it('answers 422 for an account without tokens, or without a refresh token (8.1)', async () => {
    const { oauth, ...bare } = account
    const plain = await server.accounts.update(server.alice, bare)
    expect(outcome(await server.refresh(account._id))).to.deep.equal([
      422,
      'account_not_refreshable',
    ])
    const { refresh_token_encrypted: _, ...rest } = oauth ?? { status: 'connected', refresh_seq: 0 }
    await server.accounts.update(server.alice, { ...bare, _rev: plain?._rev ?? '', oauth: rest })
    expect(outcome(await server.refresh(account._id))).to.deep.equal([
      422,
      'oauth_refresh_unavailable',
    ])
    expect(server.provider.requests).to.deep.equal([])
  })

  it('refreshes accounts of any grant mode (8.1)', async () => {
    await server.putType()
    expect((await server.refresh(account._id)).status).to.equal(200)
  })

  it('answers 400 to a parameter that comes twice, and to a revision that is none', async () => {
    expect((await server.refresh(account._id, { query: '?rev=a&rev=b' })).status).to.equal(400)
    const query = `?rev=${'x'.repeat(300)}`
    expect(outcome(await server.refresh(account._id, { query }))).to.deep.equal([
      400,
      'invalid_request',
    ])
  })

  it('answers 429 with Retry-After over its limit, for each account by itself (11)', async () => {
    await close()
    await start({ limits: { 'account-refresh': { limit: 2, windowMs: 60_000 } } })
    await server.refresh(account._id)
    await server.refresh(account._id)
    const answer = await server.refresh(account._id)
    expect(outcome(answer)).to.deep.equal([429, 'too_many_requests'])
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
      expect(outcome(await server.refresh(account._id))).to.deep.equal([
        401,
        'oauth_refresh_invalid_token',
      ])
    }
    expect((await server.stored(account._id)).oauth?.status).to.equal('reconnect_required')
    expect(told).to.deep.equal(['oauth_refresh_invalid_token'])
    expect(server.logged.join()).to.include('error account.integrity_failed')
    expect(server.provider.requests).to.deep.equal([])
  })

  it('shows the token to any caller that may read the account, and the rest to its connector alone (7.4)', async () => {
    server.provider.script('token', { body: { access_token: 'one', refresh_token: 'two' } })
    const app = { each: rule() }
    server.konnectors.set('other', { slug: 'other', permissions: app })
    const answer = await server.refresh(account._id, {
      token: await server.konnectorToken('other'),
    })
    expect(tokenIn(answer)).to.equal('one')
    expect(answer.text).to.not.include('two')
    expect((await server.refresh(account._id)).text).to.not.include('refresh_token')
  })
})
