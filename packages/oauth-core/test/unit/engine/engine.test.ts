import { randomBytes } from 'node:crypto'
import { DAY_MS } from '@svc/platform'
import type { Store } from '@svc/store'
import { StoreUnavailableError } from '@svc/store'
import { eachStore, type FakeClock, fakeClock } from '@svc/testkit'
import { expect } from 'chai'
import { findRefreshGrant, isRegistrationToken, listGrants } from '../../../src/engine/grant.ts'
import { type TokenServer, tokenServer } from '../../http/token-server.ts'
import type { Registered } from '../../oauth-server.ts'

eachStore((open) => {
  describe('the engine', () => {
    let clock: FakeClock
    let store: Store
    let server: TokenServer
    let client: Registered

    beforeEach(async () => {
      clock = fakeClock()
      store = await open({ clock })
      server = await tokenServer({ store, clock, mayCrash: true })
      client = await server.register()
    })

    const grants = () => listGrants(server, server.instance, client.id)
    const revokeAll = () => server.oauth.clients.revokeGrants(server.instance, 'owner')

    async function tokens(): Promise<{ refreshToken: string; grantId: string }> {
      const { body } = await server.exchange(client, await server.mint(client))
      const refreshToken = String(body['refresh_token'])
      const grant = await findRefreshGrant(server, server.instance, refreshToken)
      return { refreshToken, grantId: grant?.id ?? '' }
    }

    const status = async (refreshToken: unknown): Promise<number> =>
      (await server.refresh(client, refreshToken)).status

    it('lists the live grants of a client, newest first', async () => {
      await server.mint(client, { scope: 'io.svc.a' })
      clock.advance(5)
      await server.mint(client, { scope: 'io.svc.b' })
      await server.mint(await server.register({ client_name: 'Other' }))
      expect((await grants()).map(({ scope }) => scope)).to.deep.equal(['io.svc.b', 'io.svc.a'])
      // A grant whose code is never exchanged dies with it.
      clock.advance(5 * 60_000)
      expect(await grants()).to.deep.equal([])
    })

    it('keeps 20 grants of a client and revokes the oldest', async () => {
      const first = await tokens()
      const second = await tokens()
      for (let i = 0; i < 19; i += 1) {
        clock.advance(1)
        await server.mint(client)
      }
      expect(await grants()).to.have.lengthOf(20)
      expect(await status(first.refreshToken)).to.equal(400)
      expect(await status(second.refreshToken)).to.equal(200)
      const revoked = server.eventsOf('grant.revoked') as { grantId: string }[]
      expect(revoked.map(({ grantId }) => grantId)).to.deep.equal([first.grantId])
    })

    it('says once that a grant ended, however many end it at once', async () => {
      await tokens()
      const code = await server.mint(client)
      await Promise.all(Array.from({ length: 10 }, revokeAll))
      expect(server.eventsOf('grant.revoked')).to.have.lengthOf(2)
      expect((await server.exchange(client, code)).status).to.equal(400)
    })

    it('leaves no token alive when revoking and exchanging happen at once', async () => {
      for (let i = 0; i < 20; i += 1) {
        const code = await server.mint(client)
        const [exchange] = await Promise.all([server.exchange(client, code), revokeAll()])
        expect(exchange.status).to.be.oneOf([200, 400])
        expect(await grants()).to.deep.equal([])
        if (exchange.status === 200) {
          expect(await status(exchange.body['refresh_token'])).to.equal(400)
        }
      }
    })

    it('keeps a refresh token that is used, and ends one that is not for 400 days', async () => {
      const used = await tokens()
      const unused = await tokens()
      for (let day = 0; day < 800; day += 200) {
        clock.advance(200 * DAY_MS)
        expect(await status(used.refreshToken), `day ${day + 200}`).to.equal(200)
      }
      expect(await status(unused.refreshToken)).to.equal(400)
      clock.advance(401 * DAY_MS)
      expect(await status(used.refreshToken)).to.equal(400)
    })

    it('stamps a used refresh token once a day at most', async () => {
      const { refreshToken } = await tokens()
      let writes = 0
      const { write } = store
      store.write = (...args) => {
        writes += 1
        return write.apply(store, args)
      }
      for (let i = 0; i < 5; i += 1) await status(refreshToken)
      expect(writes).to.equal(0)
      clock.advance(DAY_MS + 1000)
      for (let i = 0; i < 5; i += 1) await status(refreshToken)
      expect(writes).to.equal(1)
    })

    it('writes when clients were last here in the end, not for one that is gone', async () => {
      const keys = [{ kid: 'k', key: randomBytes(32) }]
      const shared = { store: await open({ clock }), clock, keys }
      const first = await tokenServer({ ...shared, isKept: true })
      const [here, gone] = [await first.register(), await first.register()]
      for (const each of [here, gone]) await first.exchange(each, await first.mint(each))
      await first.oauth.clients.revoke(first.instance, gone.id, 'test')
      const seen = clock.now()
      await first.close()
      const { oauth, instance } = await tokenServer({ ...shared, isSecondProcess: true })
      const known = await oauth.clients.get(instance, here.id)
      expect(known?.lastRefreshedAt).to.be.within(seen - 5000, seen)
      expect(await oauth.clients.get(instance, gone.id)).to.equal(undefined)
    })

    it('keeps no code, token or secret in clear', async () => {
      const code = await server.mint(client)
      const used = await server.mint(client)
      const { body } = await server.exchange(client, used)
      const refreshToken = String(body['refresh_token'])
      const seen: string[] = []
      const { getMany, get } = store
      store.getMany = async (keys) => {
        const records = await getMany.call(store, keys)
        seen.push(JSON.stringify([keys, records]))
        return records as never
      }
      store.get = async (key) => {
        const record = await get.call(store, key)
        seen.push(JSON.stringify([key, record]))
        return record as never
      }
      await server.refresh(client, refreshToken)
      await server.exchange(client, code)
      await isRegistrationToken(server, server.instance, client.id as never, client.token)
      expect(seen.length).to.be.greaterThan(2)
      for (const secret of [code, used, refreshToken, client.secret, client.token]) {
        expect(seen.join('\n')).not.to.include(secret)
      }
    })

    it('answers 503 when the store does not answer, and uses up no code', async () => {
      const code = await server.mint(client)
      const { write, getMany } = store
      const broken = async (): Promise<never> => {
        throw new StoreUnavailableError('down')
      }
      for (const parts of [{ getMany: broken }, { write: broken }]) {
        Object.assign(store, parts)
        const answer = await server.exchange(client, code)
        expect([answer.status, answer.body['error']]).to.deep.equal([503, 'store_unavailable'])
        expect(answer.headers['retry-after']).to.equal('1')
        Object.assign(store, { write, getMany })
      }
      expect((await server.exchange(client, code)).status).to.equal(200)
    })

    it('takes the lifetimes it is given', async () => {
      const lifetimes = {
        authorizationCodeMs: 2000,
        accessTokenMs: 3_600_000,
        refreshTokenMs: 10_000,
      }
      clock.stop()
      server = await tokenServer({ store: await open({ clock }), clock, lifetimes })
      client = await server.register()
      const late = await server.mint(client)
      const { body } = await server.exchange(client, await server.mint(client))
      expect(body['expires_in']).to.equal(3600)
      clock.advance(2001)
      expect((await server.exchange(client, late)).status).to.equal(400)
      expect(await status(body['refresh_token'])).to.equal(200)
      clock.advance(10_001)
      expect(await status(body['refresh_token'])).to.equal(400)
    })
  })
})
