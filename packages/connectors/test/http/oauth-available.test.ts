import { sqliteStore } from '@svc/store/sqlite'
import { expect } from 'chai'
import { afterEach, describe, it } from 'mocha'
import type { ConnectorsOptions } from '../../src/options.ts'
import { type ConnectorsServer, startConnectors } from '../support/connectors-server.ts'

const WITH_OAUTH: ConnectorsOptions['manifests'] = {
  manifestOf: async (_, slug) =>
    slug === 'plain' ? { slug } : slug === 'unknown' ? undefined : { slug, oauth: {} },
}

/** connectors.md 12 */
describe('oauthAvailable', () => {
  let server: ConnectorsServer

  async function open(connectors: Partial<ConnectorsOptions>): Promise<void> {
    const store = sqliteStore({ file: ':memory:' })
    server = await startConnectors({ store, connectors })
    await server.putType()
    await server.putType({ _id: 'plain', slug: 'plain' })
    await server.putType({ _id: 'unknown', slug: 'unknown' })
    await server.putType({ _id: 'imported', slug: 'imported', grant_mode: 'refresh_token' })
  }
  afterEach(async () => {
    await server.close()
    await server.store.close()
  })

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
      if (!allowClientSideExchange) {
        await server.close()
        await server.store.close()
      }
    }
  })
})
