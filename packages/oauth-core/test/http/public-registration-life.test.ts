import { DAY_MS, HOUR_MS } from '@svc/platform'
import { indexKey } from '@svc/store'
import { eachStore, until } from '@svc/testkit'
import { expect } from 'chai'
import { copyClients } from '../copy-clients.ts'
import { METADATA, type OAuthServer } from '../oauth-server.ts'
import { OPEN, tokensOf } from '../client-steps.ts'
import { resourceServer } from '../resource-server.ts'

const MANY = { 'oauth-client': { limit: 10_000, windowMs: HOUR_MS } }
const WAITING = ['clients', 'clients-pending-public']
const IDLE = ['clients', 'clients-idle']

/** @see assistants.md 3.8; decision D91 */
eachStore((open) => {
  describe('the life of a public registration', () => {
    async function start(options: Parameters<typeof resourceServer>[0] = {}): Promise<OAuthServer> {
      const server = await resourceServer({
        start: true,
        limits: MANY,
        openStore: (clock) => open({ clock }),
        ...options,
      })
      server.clock.stop()
      return server
    }

    const register = (server: OAuthServer, json: object) =>
      server.send('POST', '/auth/register', { json })

    const isThere = async ({ oauth, instance }: OAuthServer, id: string): Promise<boolean> =>
      (await oauth.clients.get(instance, id)) !== undefined

    const isGone = (server: OAuthServer, id: string): Promise<unknown> =>
      until(async () => !(await isThere(server, id)))

    const count = ({ instance, store }: OAuthServer, index: string): Promise<number> =>
      store.count(indexKey(instance.id, index))

    const isIdle = (server: OAuthServer, id: string): Promise<unknown> =>
      until(async () => (await server.oauth.clients.get(server.instance, id))?.isIdle === true)

    /** Ends what the client has. */
    async function cut(server: OAuthServer, id: string, refreshToken: string): Promise<void> {
      const form = { client_id: id, token: refreshToken }
      await server.send('POST', '/auth/revoke', { form })
    }

    it('is a day when nobody allowed it, and an hour with a secret', async () => {
      const server = await start()
      const id = await server.publicClient()
      const { id: withSecret } = await server.register()
      server.clock.advance(HOUR_MS)
      await isGone(server, withSecret)
      server.clock.advance(23 * HOUR_MS - 1)
      expect(await isThere(server, id)).to.equal(true)
      // Others are registered and go meanwhile.
      const { id: later } = await server.register()
      server.clock.advance(1)
      await isGone(server, id)
      expect(await isThere(server, later)).to.equal(true)
      server.clock.advance(HOUR_MS - 1)
      await isGone(server, later)
    })

    it('is 400 days from its last token, which a request alone is not', async () => {
      const server = await start()
      const id = await server.publicClient()
      const { refresh_token } = await server.connect(id, { duration: '30d' })
      server.clock.advance(20 * DAY_MS)
      const { refresh_token: second } = tokensOf(await server.refresh(id, refresh_token))
      await cut(server, id, second)
      await isIdle(server, id)
      server.clock.advance(399 * DAY_MS)
      await server.ask(id)
      expect((await server.refresh(id, second)).body['error']).to.equal('invalid_grant')
      server.clock.advance(DAY_MS - 1)
      expect(await isThere(server, id)).to.equal(true)
      server.clock.advance(1)
      await isGone(server, id)
      const gone = await server.token(id, { grant_type: 'refresh_token', refresh_token: second })
      expect(gone.body['error_description']).to.include('the client must be registered')
    })

    it('is 400 days from its last code, also when that was never exchanged', async () => {
      const server = await start()
      const id = await server.publicClient()
      await server.connect(id, { duration: '1h' })
      server.clock.advance(HOUR_MS)
      await isIdle(server, id)
      server.clock.advance(300 * DAY_MS)
      expect((await server.allow(id)).status).to.equal(302)
      expect(await server.oauth.clients.get(server.instance, id)).to.include({ isIdle: false })
      server.clock.advance(10 * 60_000)
      await isIdle(server, id)
      server.clock.advance(400 * DAY_MS - 10 * 60_000 - 1)
      expect(await isThere(server, id)).to.equal(true)
      server.clock.advance(1)
      await isGone(server, id)
    })

    it('takes no place from those that have a secret, nor they from it', async () => {
      const server = await start()
      await server.register()
      await copyClients(server, 99, ['clients', 'clients-pending'])
      expect((await register(server, METADATA)).status).to.equal(429)
      await server.publicClient()
      const other = await start()
      await other.publicClient()
      await copyClients(other, 99, WAITING)
      await other.register()
    })

    it('ends with the oldest of 100 that wait unseen, once a new one comes', async () => {
      const server = await start()
      const seen = await server.publicClient()
      server.clock.advance(1)
      const unseen = await server.publicClient()
      server.clock.advance(1)
      await copyClients(server, 98, WAITING, { createdAt: server.clock.now() })
      server.clock.advance(1)
      expect((await server.ask(seen)).status).to.equal(200)
      const fresh = await server.publicClient()
      expect(await isThere(server, unseen)).to.equal(false)
      for (const id of [seen, fresh]) expect(await isThere(server, id)).to.equal(true)
      expect((await server.allow(seen)).status).to.equal(302)
    })

    it('stays within 100 that wait however many come at once', async () => {
      const server = await start()
      await server.publicClient()
      await copyClients(server, 99, WAITING)
      server.clock.advance(1)
      const fresh = await Promise.all(Array.from({ length: 8 }, () => server.publicClient()))
      expect(await count(server, 'clients-pending-public')).to.equal(100)
      for (const id of fresh) expect(await isThere(server, id)).to.equal(true)
    })

    it('answers 429 while the owner has looked at each of the 100 that wait', async () => {
      const server = await start()
      await server.publicClient()
      await copyClients(server, 99, WAITING, { isSeen: true })
      server.clock.advance(1)
      const last = await server.publicClient()
      expect(await count(server, 'clients-pending-public')).to.equal(100)
      await server.ask(last)
      const { status, headers } = await register(server, OPEN)
      expect([status, headers['retry-after']]).to.deep.equal([429, '3600'])
    })

    it('ends with the least recently used of 200 without access, and never one with it', async () => {
      const server = await start()
      const oldest = await server.publicClient()
      const live = await server.publicClient()
      const newest = await server.publicClient()
      const first = await server.connect(oldest, { duration: '30d' })
      await server.connect(live, { duration: '30d' })
      server.clock.advance(1)
      const last = await server.connect(newest, { duration: '30d' })
      await cut(server, oldest, first.refresh_token)
      await isIdle(server, oldest)
      const keepUntil = server.clock.now() + 400 * DAY_MS
      await copyClients(server, 199, IDLE, { isIdle: true, keepUntil })
      expect(await isThere(server, oldest)).to.equal(true)
      await cut(server, newest, last.refresh_token)
      await isGone(server, oldest)
      for (const id of [live, newest]) expect(await isThere(server, id)).to.equal(true)
      expect(await count(server, 'clients-idle')).to.equal(200)
    })

    it('stays within 200 without access however many end at once, and one of them is allowed again', async () => {
      const server = await start()
      const ids: string[] = []
      const tokens: string[] = []
      for (let n = 0; n < 8; n += 1) {
        const id = await server.publicClient()
        ids.push(id)
        tokens.push((await server.connect(id, { duration: '30d' })).refresh_token)
        server.clock.advance(1)
      }
      const keepUntil = server.clock.now() + 400 * DAY_MS
      await copyClients(server, 197, IDLE, { isIdle: true, keepUntil })
      const again = String(ids[0])
      const [renewed] = await Promise.all([
        server.connect(again, { duration: '30d' }),
        ...tokens.slice(1).map((each, n) => cut(server, String(ids[n + 1]), each)),
      ])
      for (const id of ids.slice(1, 5)) await isGone(server, id)
      expect(await count(server, 'clients-idle')).to.equal(200)
      tokensOf(await server.refresh(again, renewed.refresh_token))
    })

    it('takes a place under the limit of clients while it has access', async () => {
      const server = await start({ newInstance: { settings: { oauthClientsMax: 1 } } })
      const first = await server.publicClient()
      const second = await server.publicClient()
      const { refresh_token } = await server.connect(first)
      const { clients } = server.oauth
      expect(await clients.usage(server.instance)).to.include({ count: 1 })
      expect((await server.allow(second)).status).to.equal(403)
      await server.connect(first)
      await cut(server, first, refresh_token)
      await server.oauth.assistants.endAll(server.instance, 'owner', { actor: { kind: 'owner' } })
      await isIdle(server, first)
      expect(await clients.usage(server.instance)).to.include({ count: 0 })
      const answers = await Promise.all([server.allow(first), server.allow(second)])
      expect(answers.map(({ status }) => status).toSorted()).to.deep.equal([302, 403])
      expect(await clients.usage(server.instance)).to.include({ count: 1 })
    })
  })
})
