import { sqliteStore } from '@svc/store/sqlite'
import { expect } from 'chai'
import { afterEach, beforeEach, describe, it } from 'mocha'
import { connect } from '../support/flow-steps.ts'
import { type RefreshServer, startRefresh } from '../support/refresh-server.ts'

/** connectors.md 13 */
describe('figures of calls to providers', () => {
  let server: RefreshServer

  beforeEach(async () => {
    server = await startRefresh({ store: sqliteStore({ file: ':memory:' }) })
  })
  afterEach(async () => {
    await server.close()
    await server.store.close()
  })

  it('count every call of this process by type and class', async () => {
    expect(server.connectors.figures()).to.deep.equal({ calls: {} })
    await server.putType()
    await connect(server.browser())
    await server.putImported()
    const { _id } = await server.importBank()
    await server.refresh(_id)
    server.provider.script('token', { status: 500 }, { body: { error: 'invalid_grant' } })
    await server.refresh(_id)
    await server.refresh(_id)
    await server.putType({ _id: 'shop', grant_mode: 'refresh_token' })
    const other = await server.importBank({ accountType: 'shop' })
    await server.connectors.refreshAccount(server.alice, other._id)
    await server.connectors.removeAccount(server.alice, other._id)
    expect(server.connectors.figures()).to.deep.equal({
      calls: { bank: { ok: 2, unavailable: 1, revoked: 1 }, shop: { ok: 2 } },
    })
  })
})
