import { type ChildProcess, fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Store } from '@svc/store'
import { redisStore } from '@svc/store/redis'
import { sqliteStore } from '@svc/store/sqlite'
import { type RedisServer, startRedisServer } from '@svc/store/testing'
import { needsRedis, redisPatience } from '@svc/testkit'
import { expect } from 'chai'
import type { TokenProcessArguments } from './token-process.ts'
import {
  startTokenServer,
  type TestClient,
  type TokenServer,
  testInstance,
} from './token-server.ts'

const ROUNDS = 20
const PARALLEL = 200

interface Outcome {
  readonly status: number
  readonly body: Record<string, unknown>
}

/** Sends one code many times at once, in turn to each of the origins. */
async function race(
  origins: readonly string[],
  { client, secret }: TestClient,
  code: string,
): Promise<Outcome[]> {
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    client_id: client.id,
    client_secret: secret,
    code,
  })
  return Promise.all(
    Array.from({ length: PARALLEL }, async (_, i) => {
      const origin = origins[i % origins.length] ?? ''
      const answer = await fetch(`${origin}/auth/access_token`, { method: 'POST', body })
      return {
        status: answer.status,
        body: (await answer.json()) as Record<string, unknown>, // The endpoint answers objects.
      }
    }),
  )
}

/** Exactly one of each round gets tokens, everybody else is told that the code is no good. */
async function expectOneWinner(server: TokenServer, origins: readonly string[]): Promise<void> {
  const client = await server.register()
  for (let round = 0; round < ROUNDS; round += 1) {
    const outcomes = await race(origins, client, await server.mint(client))
    const losers = outcomes.filter(({ status }) => status !== 200)
    expect(outcomes.length - losers.length, `winners of round ${round}`).to.equal(1)
    for (const { status, body } of losers) {
      expect([status, body['error']]).to.deep.equal([400, 'invalid_grant'])
    }
  }
  // The code was presented more than once: nothing of it may be left (oauth.md 6.2 row 12).
  expect(await server.engine.listGrants(server.instance, client.client.id)).to.deep.equal([])
}

describe(`POST /auth/access_token, ${PARALLEL} times at once with one code`, function () {
  this.timeout(120_000)

  describe('on a SQLite file', () => {
    let folder: string
    let store: Store
    let server: TokenServer

    before(async () => {
      folder = await mkdtemp(path.join(tmpdir(), 'svc-race-'))
      store = sqliteStore({ file: path.join(folder, 'store.db') })
      server = await startTokenServer({ store })
    })
    after(async () => {
      await server.close()
      await store.close()
      await rm(folder, { recursive: true })
    })

    it('has one winner in each of 20 rounds', () => expectOneWinner(server, [server.origin]))
  })

  describe('on Redis with two processes', () => {
    let redis: RedisServer
    let store: Store
    let server: TokenServer
    let child: ChildProcess
    let otherOrigin: string

    before(async function () {
      needsRedis(this)
      redis = await startRedisServer()
      const sealingKey = randomBytes(32)
      const instances = [
        testInstance('alice.example.com'),
        testInstance('bob.example.com'),
      ] as const
      store = redisStore({ url: redis.url, ...redisPatience() })
      server = await startTokenServer({ store, instances, sealingKey })
      for (const { id } of instances) await store.write(server.keyring.create(id))
      const told: TokenProcessArguments = {
        url: redis.url,
        instances,
        sealingKey: sealingKey.toString('base64'),
      }
      child = fork(path.join(import.meta.dirname, 'token-process.ts'), [JSON.stringify(told)])
      const [origin] = (await once(child, 'message')) as [string] // What it says first.
      otherOrigin = origin
    })
    after(async () => {
      if (child?.connected) {
        const exit = once(child, 'exit')
        child.disconnect()
        await exit
      }
      await server?.close()
      await store?.close()
      await redis?.stop()
    })

    it('has one winner in each of 20 rounds', () =>
      expectOneWinner(server, [server.origin, otherOrigin]))

    it('refuses what a replay killed in the other process too', async () => {
      const client = await server.register()
      const code = await server.mint(client)
      const { body } = await server.exchange(client, code)
      const refresh = (origin: string) =>
        fetch(`${origin}/auth/access_token`, {
          method: 'POST',
          body: new URLSearchParams({
            grant_type: 'refresh_token',
            client_id: client.client.id,
            client_secret: client.secret,
            refresh_token: String(body['refresh_token']),
          }),
        })
      expect((await refresh(otherOrigin)).status).to.equal(200)
      expect((await server.exchange(client, code)).status).to.equal(400)
      expect((await refresh(otherOrigin)).status).to.equal(400)
    })

    it('refuses right secrets in the other process too, once too many were wrong', async () => {
      const client = await server.register()
      const form = { grant_type: 'refresh_token', refresh_token: 'x', client_id: client.client.id }
      const send = (origin: string, secret: string) =>
        fetch(`${origin}/auth/access_token`, {
          method: 'POST',
          body: new URLSearchParams({ ...form, client_secret: secret }),
        })
      expect((await send(otherOrigin, client.secret)).status).to.equal(400)
      for (let i = 0; i < 300; i += 1) {
        expect((await send(server.origin, 'wrong')).status).to.equal(401)
      }
      let last = await send(otherOrigin, client.secret)
      for (let i = 0; i < 100 && last.status !== 401; i += 1) {
        last = await send(otherOrigin, client.secret)
      }
      expect(last.status).to.equal(401)
    })
  })
})
