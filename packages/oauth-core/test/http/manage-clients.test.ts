import { HOUR_MS } from '@svc/platform'
import { fakeClock, until } from '@svc/testkit'
import { sqliteStore } from '@svc/store/sqlite'
import { expect } from 'chai'
import { randomBytes } from 'node:crypto'
import type { ClientId } from '../../src/index.ts'
import { guardedRoutes } from '../guarded-routes.ts'
import { HOST, type Registered } from '../oauth-server.ts'
import { type TokenServer, tokenServer } from './token-server.ts'

/** Has the owner allow the client, and answers its tokens. */
async function allow(server: TokenServer, client: Registered) {
  const code = await server.mint(client, { scope: 'io.svc.files:GET' })
  const { body } = await server.exchange(client, code)
  return { access: String(body['access_token']), refresh: String(body['refresh_token']), code }
}

const guarded = (server: TokenServer, token: string) =>
  server.send('GET', '/data', { headers: server.bearer(token) })

const serveData = () =>
  tokenServer({
    start: true,
    mount: guardedRoutes({ 'GET /data': { verb: 'GET', type: 'io.svc.files' } }),
  })

describe('a pending client', () => {
  it('is removed one hour after its registration', async () => {
    const server = await tokenServer({ start: true })
    const { id } = await server.register()
    const { clients } = server.oauth
    server.clock.advance(HOUR_MS - 10_000)
    expect(await clients.get(server.instance, id)).to.include({ pending: true })
    server.clock.advance(10_000)
    // The event comes last, when nothing of the client is left.
    await until(async () => server.events.at(-1)?.name === 'client.deleted')
    expect(await clients.get(server.instance, id)).to.equal(undefined)
  })

  it('shares its wake-up with others of its instance, and goes at its own hour', async () => {
    const server = await tokenServer({ start: true })
    const { clock, instance, oauth, store } = server
    const wakeUps = async (): Promise<readonly number[]> => {
      const selection = { instance: instance.id, records: false, queues: ['oauth-clients'] }
      const found: number[] = []
      for await (const entry of store.dump(selection)) {
        if (entry.type === 'wake-up') found.push(entry.dueAt)
      }
      return found
    }
    const [first] = [await server.register(), await server.register()]
    const asked = await wakeUps()
    expect(asked).to.have.length(1)
    clock.advance(HOUR_MS / 2)
    const last = await server.register()
    expect(await wakeUps()).to.deep.equal(asked)
    clock.advance(HOUR_MS / 2)
    await until(async () => (await oauth.clients.get(instance, first.id)) === undefined)
    await until(async () => {
      const [next = 0, ...others] = await wakeUps()
      return others.length === 0 && next >= (asked[0] ?? 0) + HOUR_MS / 2
    })
    expect(await oauth.clients.get(instance, last.id)).to.include({ pending: true })
    clock.advance(HOUR_MS / 2)
    await until(async () => (await oauth.clients.get(instance, last.id)) === undefined)
    await until(async () => (await wakeUps()).length === 0)
  })

  it('is removed after a restart too', async () => {
    const clock = fakeClock()
    const store = sqliteStore({ file: ':memory:', clock })
    const keys = [{ kid: 'k', key: randomBytes(32) }]
    const first = await tokenServer({ store, clock, keys })
    const { id } = await first.register()
    clock.advance(HOUR_MS + 1000)
    expect(await first.oauth.clients.get(first.instance, id)).to.include({ pending: true })
    const second = await tokenServer({ store, clock, keys, isSecondProcess: true, start: true })
    await until(async () => (await second.oauth.clients.get(second.instance, id)) === undefined)
    await second.oauth.close()
    await store.close()
  })

  it('is removed at the next registration when its wake-up never comes', async () => {
    const server = await tokenServer()
    const { id } = await server.register()
    server.clock.advance(HOUR_MS)
    await server.register()
    expect(await server.oauth.clients.get(server.instance, id)).to.equal(undefined)
  })

  it('stays once the owner allowed it', async () => {
    const server = await tokenServer()
    const client = await server.register()
    await allow(server, client)
    const allowed = await server.oauth.clients.get(server.instance, client.id)
    expect(allowed).to.include({ pending: false })
    server.clock.advance(2 * HOUR_MS)
    await server.register()
    expect(await server.oauth.clients.get(server.instance, client.id)).to.include({ id: client.id })
  })
})

describe('the end of a client', () => {
  const endings: readonly (readonly [
    how: string,
    end: (server: TokenServer, client: Registered) => Promise<unknown>,
  ])[] = [
    [
      'DELETE',
      (server, { id, token }) =>
        server.send('DELETE', `/auth/register/${id}`, { headers: server.bearer(token) }),
    ],
    ['revoke', ({ oauth, instance }, { id }) => oauth.clients.revoke(instance, id, 'owner')],
    ['revokeAll', ({ oauth, instance }) => oauth.clients.revokeAll(instance)],
  ]
  for (const [how, end] of endings) {
    it(`by ${how} ends all it holds before it is answered`, async () => {
      const server = await serveData()
      const client = await server.register()
      const tokens = await allow(server, client)
      const other = await allow(server, await server.register())
      expect((await guarded(server, tokens.access)).status).to.equal(200)
      await end(server, client)
      const isAll = how === 'revokeAll'
      expect((await guarded(server, other.access)).status).to.equal(isAll ? 401 : 200)
      const refused = await guarded(server, tokens.access)
      expect(refused.status).to.equal(401)
      expect(refused.headers['www-authenticate']).to.equal('Bearer error="invalid_token"')
      for (const answer of [
        await server.refresh(client, tokens.refresh),
        await server.exchange(client, tokens.code),
      ]) {
        expect(answer.status).to.equal(401)
        expect(answer.body['error_description']).to.contain('the client must be registered')
      }
      const read = await server.send('GET', `/auth/register/${client.id}`, {
        headers: server.bearer(client.token),
      })
      expect(read.status).to.equal(404)
      expect(
        await server.oauth.clients.scopes(server.instance, client.id as ClientId),
      ).to.deep.equal([])
      expect(server.events.filter(({ name }) => name === 'client.deleted')).to.have.lengthOf(
        isAll ? 2 : 1,
      )
    })
  }

  it('is finished after the process died in the middle', async () => {
    const clock = fakeClock()
    const store = sqliteStore({ file: ':memory:', clock })
    const keys = [{ kid: 'k', key: randomBytes(32) }]
    const first = await tokenServer({ store, clock, keys })
    const client = await first.register()
    await allow(first, client)
    // The record goes, then everything fails.
    const list = store.list.bind(store)
    store.list = () => Promise.reject(new Error('power cut'))
    const ending = first.oauth.clients.revoke(first.instance, client.id, 'test')
    expect(await ending.catch((error: Error) => error.message)).to.equal('power cut')
    store.list = list
    const scopes = (server: TokenServer) =>
      server.oauth.clients.scopes(server.instance, client.id as ClientId)
    expect(await scopes(first)).to.deep.equal(['io.svc.files:GET'])
    clock.advance(61_000)
    const second = await tokenServer({ store, clock, keys, isSecondProcess: true, start: true })
    await until(async () => (await scopes(second)).length === 0)
    await second.oauth.close()
    await store.close()
  })
})

describe('oauth.clients', () => {
  it('lists clients without secrets, newest first, in pages', async () => {
    const server = await tokenServer()
    const ids: string[] = []
    for (let n = 0; n < 5; n += 1) {
      ids.unshift((await server.register({ client_name: `c${n}` })).id)
      server.clock.advance(1)
    }
    const { clients } = server.oauth
    const first = await clients.list(server.instance, { limit: 2 })
    expect(first.clients.map(({ id }) => id)).to.deep.equal(ids.slice(0, 2))
    const rest = await clients.list(server.instance, { cursor: String(first.cursor) })
    expect(rest.clients.map(({ id }) => id)).to.deep.equal(ids.slice(2))
    expect(rest).not.to.have.property('cursor')
    expect(JSON.stringify([first, rest])).not.to.contain('secret')
  })

  it('counts the clients the owner connected against the limit', async () => {
    const server = await tokenServer()
    const { oauth, instance } = server
    expect(await oauth.clients.usage(instance)).to.deep.equal({
      count: 0,
      limitReached: false,
      limitExceeded: false,
    })
    for (const client_kind of ['browser', 'desktop', 'mobile', 'web', 'sharing', '']) {
      const client = await server.register({ client_kind, client_name: `n${client_kind}` })
      if (client_kind !== 'desktop') await allow(server, client)
    }
    const connected = await oauth.clients.listConnected(instance)
    expect(connected.map(({ metadata }) => metadata.client_kind)).to.have.members([
      'browser',
      'mobile',
    ])
    for (const [oauthClientsMax, expected] of [
      [0, { limit: 0, count: 2, limitReached: true, limitExceeded: true }],
      [1, { limit: 1, count: 2, limitReached: true, limitExceeded: true }],
      [2, { limit: 2, count: 2, limitReached: true, limitExceeded: false }],
      [3, { limit: 3, count: 2, limitReached: false, limitExceeded: false }],
      [-1, { count: 2, limitReached: false, limitExceeded: false }],
    ] as const) {
      const updated = await oauth.instances.update(instance.id, { settings: { oauthClientsMax } })
      expect(await oauth.clients.usage(updated)).to.deep.equal(expected)
    }
  })

  it('stops counting a client whose kind changes', async () => {
    const server = await tokenServer()
    const client = await server.register({ client_kind: 'mobile' })
    await allow(server, client)
    await server.send('PUT', `/auth/register/${client.id}`, {
      json: { client_id: client.id, client_kind: 'web' },
      headers: server.bearer(client.token),
    })
    expect((await server.oauth.clients.usage(server.instance)).count).to.equal(0)
  })

  it('tells when a client last got tokens, and what it may do', async () => {
    const server = await tokenServer()
    const client = await server.register()
    const { clients } = server.oauth
    expect(await clients.get(server.instance, client.id)).not.to.have.property('lastRefreshedAt')
    await allow(server, client)
    const known = await clients.get(server.instance, client.id)
    for (const at of [known?.lastRefreshedAt, known?.lastUsedAt])
      expect(server.clock.now() - (at ?? 0)).to.be.within(0, 5000)
    expect(known?.lastUsedFrom).to.equal('127.0.0.1')
    const id = client.id as ClientId
    expect(await clients.scopes(server.instance, id)).to.deep.equal(['io.svc.files:GET'])
  })

  it('revokes clients of one kind', async () => {
    const server = await tokenServer()
    for (const client_kind of ['mobile', 'web', 'mobile']) await server.register({ client_kind })
    const { clients } = server.oauth
    expect(await clients.revokeAll(server.instance, { kind: 'mobile' })).to.equal(2)
    expect(await clients.revokeAll(server.instance)).to.equal(1)
    expect(await clients.revoke(server.instance, 'unknown', 'test')).to.equal(false)
  })

  it('compares a secret, of its own instance only', async () => {
    const server = await tokenServer()
    const { id, secret } = await server.register()
    const { clients, instances } = server.oauth
    for (const [given, isRight] of [
      [secret, true],
      ['', false],
      [`${secret}x`, false],
      [secret.slice(1), false],
      ['\ud800', false],
    ] as const) {
      const found = await clients.verifySecret(server.instance, id, given)
      expect(found?.isRight, given).to.equal(isRight)
      expect(found?.client.id).to.equal(id)
      expect(JSON.stringify(found)).not.to.include(secret)
    }
    expect(await clients.verifySecret(server.instance, 'unknown', secret)).to.equal(undefined)
    const other = await instances.create({ domain: 'other.example.com' })
    expect(await clients.verifySecret(other, id, secret)).to.equal(undefined)
  })

  it('ends the tokens of clients that stay registered, of the flagship app alone if asked', async () => {
    const server = await serveData()
    const [flagship, other] = [await server.register(), await server.register()]
    const { clients } = server.oauth
    await clients.setFlagship(server.instance, flagship.id, true)
    const tokens = [await allow(server, flagship), await allow(server, other)]
    const statuses = async (): Promise<readonly number[]> =>
      Promise.all(tokens.map(async ({ access }) => (await guarded(server, access)).status))
    expect(await statuses()).to.deep.equal([200, 200])
    expect(await clients.revokeGrants(server.instance, 'test', { flagship: true })).to.equal(1)
    expect(await statuses()).to.deep.equal([401, 200])
    const refreshed = await server.refresh(flagship, tokens[0]?.refresh)
    expect(refreshed.body).to.include({ error: 'invalid_grant' })
    expect(await clients.revokeGrants(server.instance, 'test')).to.equal(2)
    expect(await statuses()).to.deep.equal([401, 401])
    for (const { id } of [flagship, other]) {
      expect(await clients.get(server.instance, id)).to.include({ id })
    }
  })

  it('takes the flagship mark away, and with it the certification', async () => {
    const server = await tokenServer()
    const { id } = await server.register()
    const { clients } = server.oauth
    expect(await clients.setFlagship(server.instance, id, true)).to.include({ flagship: true })
    const plain = await clients.setFlagship(server.instance, id, false)
    expect(plain).to.include({ flagship: false, certifiedFromStore: false })
    expect(await clients.setFlagship(server.instance, id, false)).to.include({ flagship: false })
    expect(await clients.setFlagship(server.instance, 'unknown', true)).to.equal(undefined)
    const names = server.events.map(({ name }) => name)
    expect(names).to.deep.equal([
      'client.created',
      'client.updated',
      'client.certified',
      'client.updated',
    ])
  })

  it('logs registrations, updates and ends, without secrets', async () => {
    const server = await tokenServer()
    const client = await server.register()
    const headers = server.bearer(client.token)
    const path = `/auth/register/${client.id}`
    const json = { client_id: client.id, client_secret: client.secret }
    const { body } = await server.send('PUT', path, { json, headers })
    await server.send('DELETE', path, { headers })
    const names = server.logged.map((line) => line.split(' ')[1])
    expect(names).to.deep.equal(['client.registered', 'client.updated', 'client.deleted'])
    for (const secret of [client.secret, client.token, String(body['client_secret'])]) {
      expect(server.logged.join()).not.to.contain(secret)
    }
    expect(server.logged.join()).to.contain(HOST)
  })
})
