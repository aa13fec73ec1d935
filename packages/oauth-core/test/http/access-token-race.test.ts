import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Store } from '@svc/store'
import { redisStore } from '@svc/store/redis'
import { sqliteStore } from '@svc/store/sqlite'
import { type RedisServer, startRedisServer } from '@svc/store/testing'
import { needsRedis, redisPatience } from '@svc/testkit'
import { expect } from 'chai'
import { listGrants } from '../../src/engine/grant.ts'
import type { SendRequest } from '../oauth-server.ts'
import { secondProcess, type TokenServer, tokenServer } from './token-server.ts'

const ROUNDS = 20
const PARALLEL = 200

/** Exactly one of each round gets tokens, everybody else is told that the code is no good. */
async function expectOneWinner(
  server: TokenServer,
  processes: readonly { readonly send: SendRequest }[],
): Promise<void> {
  const client = await server.register()
  for (let round = 0; round < ROUNDS; round += 1) {
    const code = await server.mint(client)
    const credentials = { client_id: client.id, client_secret: client.secret }
    const form = { grant_type: 'authorization_code', ...credentials, code }
    const outcomes = await Promise.all(
      Array.from({ length: PARALLEL }, (_, i) => {
        const { send } = processes[i % processes.length] ?? server
        return send('POST', '/auth/access_token', { form })
      }),
    )
    const losers = outcomes.filter(({ status }) => status !== 200)
    expect(outcomes.length - losers.length, `winners of round ${round}`).to.equal(1)
    for (const { status, body } of losers) {
      expect([status, body['error']]).to.deep.equal([400, 'invalid_grant'])
    }
  }
  // The code was presented more than once: nothing of it may be left (oauth.md 6.2 row 12).
  expect(await listGrants(server, server.instance, client.id)).to.deep.equal([])
}

describe(`POST /auth/access_token, ${PARALLEL} times at once with one code`, function () {
  this.timeout(120_000)

  it('has one winner in each of 20 rounds, on a SQLite file', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'svc-race-'))
    const store = sqliteStore({ file: path.join(folder, 'store.db') })
    const server = await tokenServer({ store, isKept: true })
    try {
      await expectOneWinner(server, [server])
    } finally {
      await server.close()
      await store.close()
      await rm(folder, { recursive: true })
    }
  })

  describe('on Redis with two processes', () => {
    let redis: RedisServer
    let store: Store
    let server: TokenServer
    let other: Awaited<ReturnType<typeof secondProcess>>

    before(async function () {
      needsRedis(this)
      redis = await startRedisServer()
      const key = randomBytes(32)
      store = redisStore({ url: redis.url, ...redisPatience() })
      server = await tokenServer({ store, keys: [{ kid: 'test', key }], isKept: true })
      const sealingKey = key.toString('base64')
      other = await secondProcess({ at: redis.url, isRedis: true, sealingKey })
    })
    after(async () => {
      await other?.stop()
      await server?.close()
      await store?.close()
      await redis?.stop()
    })

    it('has one winner in each of 20 rounds', () => expectOneWinner(server, [server, other]))

    it('refuses what a replay killed in the other process too', async () => {
      const client = await server.register()
      const code = await server.mint(client)
      const { body } = await server.exchange(client, code)
      const refresh = (): Promise<{ readonly status: number }> =>
        other.refresh(client.id, String(body['refresh_token']), { client_secret: client.secret })
      expect((await refresh()).status).to.equal(200)
      expect((await server.exchange(client, code)).status).to.equal(400)
      expect((await refresh()).status).to.equal(400)
    })

    it('refuses right secrets in the other process too, once too many were wrong', async () => {
      const { id, secret } = await server.register()
      const send = (at: { readonly send: SendRequest }, client_secret: string) => {
        const form = { grant_type: 'refresh_token', refresh_token: 'x', client_id: id }
        return at.send('POST', '/auth/access_token', { form: { ...form, client_secret } })
      }
      expect((await send(other, secret)).status).to.equal(400)
      for (let i = 0; i < 300; i += 1) expect((await send(server, 'wrong')).status).to.equal(401)
      let last = await send(other, secret)
      for (let i = 0; i < 100 && last.status !== 401; i += 1) last = await send(other, secret)
      expect(last.status).to.equal(401)
    })
  })
})
