import { type FakeClock, fakeClock, recordStatuses } from '@svc/testkit'
import { expect } from 'chai'
import { beforeEach, describe, it } from 'mocha'
import { CALLBACK_URL } from '../support/connectors-server.ts'
import { beginAndAllow, connect, JSON_API, refusalOf } from '../support/flow-steps.ts'
import { type RefreshServer, startRefresh } from '../support/refresh-server.ts'

const START = '/accounts/bank/start'
const PREFETCH = { 'sec-purpose': 'prefetch' }
const START_LIMIT = 20
const REDIRECT_LIMIT = 10
const REFRESH_LIMIT = 10

describe('the rows of connectors', () => {
  const statuses = recordStatuses()
  let server: RefreshServer
  let clock: FakeClock

  beforeEach(async () => {
    clock = fakeClock()
    server = await startRefresh({
      clock,
      observe: statuses.middleware,
      connectors: {
        callbackUrl: CALLBACK_URL,
        lifetimes: { call: 300 },
        limits: {
          'account-start': { limit: START_LIMIT, windowMs: 60_000 },
          'account-redirect': { limit: REDIRECT_LIMIT, windowMs: 60_000 },
          'account-refresh': { limit: REFRESH_LIMIT, windowMs: 60_000 },
        },
      },
    })
    await server.putType()
  })

  it('answer with every status they declare, and with no other', async () => {
    await answers()
    await starts()
    await refreshes()
    await deletions()
    expect(statuses.undeclared()).to.deep.equal([])
    expect(statuses.missing(server.connectors.rows)).to.deep.equal([])
  })

  async function answers(): Promise<void> {
    const browser = server.browser()
    await connect(browser)
    const hop = await browser.get(await beginAndAllow(browser))
    await browser.follow(hop)
    await server.putType({ redirect_uri: 'https://alice.example.com/accounts/bank/redirect' })
    await connect(browser)
    for (const path of ['redirect', 'complete']) {
      await browser.get(`/accounts/bank/${path}`, { headers: PREFETCH })
      await browser.get(`/accounts/BANK/${path}`)
      for (let at = 0; at <= REDIRECT_LIMIT; at += 1) await browser.get(`/accounts/bank/${path}`)
    }
    clock.advance(61_000)
    await browser.get('/accounts/bank/complete')
  }

  async function starts(): Promise<void> {
    await server.putImported()
    const { _id } = await server.importBank()
    await server.putType()
    const browser = server.browser()
    for (const path of [START, `/accounts/bank/${_id}/reconnect`]) {
      clock.advance(61_000)
      await browser.get(path, { headers: PREFETCH })
      await server.browser({ session: null }).get(path)
      await browser.get(`${path}?slug=nothing`)
      await browser.get(path.replace('bank', 'nothing'))
      const { auth_endpoint: _unknown, ...silent } = server.provider.entry
      await server.connectors.accountTypes.put({
        _id: 'bank',
        grant_mode: 'authorization_code',
        trusted_network: true,
        ...silent,
        issuer: 'http://127.0.0.1:1',
      })
      await browser.get(path)
      await server.putType()
      for (let at = 0; at <= START_LIMIT; at += 1) await browser.get(path)
      const refused = await browser.get(path, { headers: JSON_API })
      expect(refusalOf(refused)).to.deep.equal([429, 'too_many_requests'])
      expect(Number(refused.headers['retry-after'])).to.be.within(1, 60)
    }
  }

  async function refreshes(): Promise<void> {
    await server.putImported()
    const { _id } = await server.importBank()
    await server.refresh(_id)
    await server.refresh(_id, { query: '?rev=a&rev=b' })
    await server.refresh(_id, { token: null })
    server.konnectors.set('stranger', { slug: 'stranger', permissions: {} })
    await server.refresh(_id, { token: await server.konnectorToken('stranger') })
    await server.refresh('nothing')
    const account = await server.stored(_id)
    const { oauth: _, ...bare } = account
    await server.accounts.create(server.alice, { ...bare, _id: 'bare' })
    await server.refresh('bare')
    server.provider.script('token', { status: 400, body: { error: 'odd' } })
    await server.refresh(_id)
    const gate = server.provider.hold('token')
    await server.refresh(_id)
    gate.open()
    for (let at = 0; at <= REFRESH_LIMIT; at += 1) await server.refresh(_id, { query: '?rev=x' })
  }

  async function deletions(): Promise<void> {
    const { _id } = await server.importBank()
    const path = `/accounts/bank/${_id}`
    const remove = async (target: string, token?: string): Promise<unknown> =>
      server.browser().request('DELETE', target, {
        headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      })
    const bank = await server.konnectorToken()
    await remove(path)
    await remove(`${path}?a=%ff`, bank)
    await remove(path, await server.konnectorToken('stranger'))
    await remove('/accounts/bank/nothing', bank)
    await remove(path, bank)
  }
})
