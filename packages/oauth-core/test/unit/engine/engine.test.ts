import { DAY_MS } from '@svc/platform'
import type { Store } from '@svc/store'
import { StoreUnavailableError } from '@svc/store'
import { eachStore, type FakeClock, fakeClock } from '@svc/testkit'
import { expect } from 'chai'
import { OAuthError } from '../../../src/errors.ts'
import { startTokenServer, type TestClient, type TokenServer } from '../../http/token-server.ts'

eachStore((open) => {
  describe('the engine', () => {
    let clock: FakeClock
    let store: Store
    let server: TokenServer
    let client: TestClient

    beforeEach(async () => {
      clock = fakeClock()
      store = await open({ clock })
      server = await startTokenServer({ store, clock })
      client = await server.register()
    })
    afterEach(() => server.close())

    const grants = () => server.engine.listGrants(server.instance, client.client.id)

    async function tokens(): Promise<{ refreshToken: string; grantId: string }> {
      const { body } = await server.exchange(client, await server.mint(client))
      const refreshToken = String(body['refresh_token'])
      const grant = await server.engine.findRefreshGrant(server.instance, refreshToken)
      return { refreshToken, grantId: grant?.id ?? '' }
    }

    async function status(refreshToken: string): Promise<number> {
      return (await server.refresh(client, refreshToken)).status
    }

    it('lists the live grants of a client, newest first', async () => {
      await server.mint(client, { scope: 'io.svc.a' })
      clock.advance(5)
      await server.mint(client, { scope: 'io.svc.b' })
      const other = await server.register({ client_name: 'Other' })
      await server.mint(other)
      expect((await grants()).map(({ scope }) => scope)).to.deep.equal(['io.svc.b', 'io.svc.a'])
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
      const revoked = server.events.filter(({ name }) => name === 'grant.revoked')
      expect(revoked.map(({ event }) => (event as { grantId: string }).grantId)).to.deep.equal([
        first.grantId,
      ])
    })

    it('lets a grant whose code is never exchanged die with it', async () => {
      await server.mint(client)
      clock.advance(5 * 60_000)
      expect(await grants()).to.deep.equal([])
    })

    it('revokes one grant with its code and refresh token', async () => {
      const one = await tokens()
      const other = await tokens()
      await server.engine.revokeGrant(server.instance, one.grantId, 'owner')
      expect(await status(one.refreshToken)).to.equal(400)
      expect(await status(other.refreshToken)).to.equal(200)
      expect(await server.engine.findRefreshGrant(server.instance, one.refreshToken)).to.equal(
        undefined,
      )
    })

    it('does not exchange a code of a revoked grant', async () => {
      const code = await server.mint(client)
      await server.engine.revokeGrants(server.instance, client.client.id, 'owner')
      expect((await server.exchange(client, code)).status).to.equal(400)
    })

    it('says once that a grant ended, however many end it at once', async () => {
      const { grantId } = await tokens()
      await Promise.all(
        Array.from({ length: 10 }, () =>
          server.engine.revokeGrant(server.instance, grantId, 'owner'),
        ),
      )
      expect(server.events.filter(({ name }) => name === 'grant.revoked')).to.have.lengthOf(1)
    })

    it('leaves no token alive when revoking and exchanging happen at once', async () => {
      for (let i = 0; i < 20; i += 1) {
        const code = await server.mint(client)
        const [exchange] = await Promise.all([
          server.exchange(client, code),
          server.engine.revokeGrants(server.instance, client.client.id, 'owner'),
        ])
        expect(exchange.status).to.be.oneOf([200, 400])
        expect(await grants()).to.deep.equal([])
        if (exchange.status === 200) {
          expect(await status(String(exchange.body['refresh_token']))).to.equal(400)
        }
      }
    })

    it('forgets all that a removed client held', async () => {
      const { refreshToken } = await tokens()
      await server.clients.remove(server.instance, client.client.id)
      await server.engine.forgetClient(server.instance, client.client.id, 'removed')
      const { id } = client.client
      const { engine, instance } = server
      expect(await engine.isRegistrationToken(instance, id, client.registrationToken)).to.equal(
        false,
      )
      expect(await engine.findRefreshGrant(instance, refreshToken)).to.equal(undefined)
      expect(await grants()).to.deep.equal([])
      const answer = await server.refresh(client, refreshToken)
      expect(answer.status).to.equal(401)
      expect(answer.body['error_description']).to.equal('the client must be registered')
    })

    it('mints no code for a client that is gone', async () => {
      await server.clients.remove(server.instance, client.client.id)
      const failure = await server.mint(client).catch((error: unknown) => error)
      expect(failure).to.be.instanceOf(OAuthError)
      expect(failure).to.include({ code: 'invalid_client', status: 400 })
      expect(await grants()).to.deep.equal([])
    })

    it('knows the registration token of each client', async () => {
      const other = await server.register({ client_name: 'Other' })
      const { engine, instance } = server
      const isToken = (of: TestClient, token: string) =>
        engine.isRegistrationToken(instance, of.client.id, token)
      expect(await isToken(client, client.registrationToken)).to.equal(true)
      expect(await isToken(other, client.registrationToken)).to.equal(false)
      expect(await isToken(client, '')).to.equal(false)
      const { id } = client.client
      expect(await engine.isRegistrationToken(server.other, id, client.registrationToken)).to.equal(
        false,
      )
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
      const gone = await server.register({ client_name: 'Gone' })
      await server.exchange(gone, await server.mint(gone))
      await tokens()
      await server.clients.remove(server.instance, gone.client.id)
      const seen = server.clock.now()
      await server.close()
      server = await startTokenServer({
        store,
        clock,
        instances: [server.instance, server.other],
      })
      const known = await server.engine.lastRefreshed(server.instance, [
        client.client.id,
        gone.client.id,
      ])
      expect([...known.keys()]).to.deep.equal([client.client.id])
      expect(known.get(client.client.id)).to.be.within(seen - 5000, seen)
    })

    it('keeps no code, token or secret in clear', async () => {
      const code = await server.mint(client)
      const used = await server.mint(client)
      const { body } = await server.exchange(client, used)
      const secrets = [
        code,
        used,
        String(body['refresh_token']),
        client.secret,
        client.registrationToken,
      ]
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
      await server.refresh(client, body['refresh_token'])
      await server.exchange(client, code)
      await server.engine.isRegistrationToken(
        server.instance,
        client.client.id,
        client.registrationToken,
      )
      expect(seen.length).to.be.greaterThan(2)
      for (const secret of secrets) expect(seen.join('\n')).not.to.include(secret)
    })

    const failures: readonly (readonly [string, (broken: () => Promise<never>) => void])[] = [
      ['reads', (broken) => (store.getMany = broken)],
      ['writes', (broken) => (store.write = broken)],
    ]
    for (const [what, breakIt] of failures) {
      it(`answers 503 when the store does not answer to ${what}`, async () => {
        const code = await server.mint(client)
        const { write, getMany } = store
        breakIt(async () => {
          throw new StoreUnavailableError('down')
        })
        const answer = await server.exchange(client, code)
        expect([answer.status, answer.body['error']]).to.deep.equal([503, 'store_unavailable'])
        expect(answer.headers.get('retry-after')).to.equal('1')
        Object.assign(store, { write, getMany })
        expect((await server.exchange(client, code)).status).to.equal(200)
      })
    }

    it('signs with the newest key and accepts the older until its tokens died', async () => {
      const { refreshToken } = await tokens()
      await server.keyring.rotate(server.instance)
      const { body } = await server.refresh(client, refreshToken)
      const header = Buffer.from(String(body['access_token']).split('.')[0] ?? '', 'base64url')
      expect(JSON.parse(header.toString())).to.include({ kid: 'access.2' })
    })

    it('takes the lifetimes it is given', async () => {
      await server.close()
      const lifetimes = {
        authorizationCodeMs: 2000,
        accessTokenMs: 3_600_000,
        refreshTokenMs: 10_000,
      }
      clock.stop()
      server = await startTokenServer({
        store,
        clock,
        lifetimes,
        instances: [server.instance, server.other],
      })
      client = await startOver()
      const late = await server.mint(client)
      const { body } = await server.exchange(client, await server.mint(client))
      expect(body['expires_in']).to.equal(3600)
      clock.advance(2001)
      expect((await server.exchange(client, late)).status).to.equal(400)
      expect(await status(String(body['refresh_token']))).to.equal(200)
      clock.advance(10_001)
      expect(await status(String(body['refresh_token']))).to.equal(400)
    })

    /** The new server has another sealing key: the client's secret and the instance's keys are made anew. */
    async function startOver(): Promise<TestClient> {
      for (const { id } of [server.instance, server.other]) {
        const changes = server.keyring.create(id)
        await store.write(changes.map(({ key }) => ({ op: 'delete', key })))
        await store.write(changes)
      }
      return server.register({ client_name: 'Again' })
    }
  })
})
