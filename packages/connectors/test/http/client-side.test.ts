import { sqliteStore } from '@svc/store/sqlite'
import { expect } from 'chai'
import { afterEach, beforeEach, describe, it } from 'mocha'
import { type ConnectorsServer, startConnectors } from '../support/connectors-server.ts'
import { appQuery, beginAndAllow } from '../support/flow-steps.ts'

/** connectors.md 6.7, decision D38 */
describe('a type whose connector exchanges the code itself', () => {
  let server: ConnectorsServer

  beforeEach(async () => {
    server = await startConnectors({
      store: sqliteStore({ file: ':memory:' }),
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
  afterEach(async () => {
    await server.close()
    await server.store.close()
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
