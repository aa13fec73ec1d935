import { type ChildProcess, fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { sqliteStore } from '@svc/store/sqlite'
import { redisStore } from '@svc/store/redis'
import { type RedisServer, startRedisServer } from '@svc/store/testing'
import { recordKey, type Store } from '@svc/store'
import { needsRedis, redisPatience } from '@svc/testkit'
import { expect } from 'chai'
import { MCP } from '../sample-resources.ts'
import type { RotationProcessArguments } from './rotation-process.ts'
import {
  startTokenServer,
  type TestClient,
  testInstance,
  type TokenServer,
} from './token-server.ts'

const PARALLEL = 50

interface Outcome {
  readonly status: number
  readonly body: Record<string, unknown>
}

async function refresh(origin: string, { client }: TestClient, token: unknown): Promise<Outcome> {
  const body = new URLSearchParams({
    grant_type: 'refresh_token',
    client_id: client.id,
    refresh_token: String(token),
  })
  const answer = await fetch(`${origin}/auth/access_token`, { method: 'POST', body })
  // The endpoint answers objects.
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}

for (const engine of ['a SQLite file', 'Redis'] as const) {
  describe(`a rotating refresh token on ${engine}`, function () {
    this.timeout(60_000)
    const instances = [testInstance('alice.example.com'), testInstance('bob.example.com')] as const
    const sealingKey = randomBytes(32)
    let folder: string
    let redis: RedisServer | undefined
    let store: Store
    let server: TokenServer
    const children: ChildProcess[] = []

    before(async function () {
      if (engine === 'Redis') needsRedis(this)
      folder = await mkdtemp(path.join(tmpdir(), 'svc-rotation-'))
      if (engine === 'Redis') redis = await startRedisServer()
      await open()
      for (const { id } of instances) {
        await store.write(server.keyring.create(id))
        // Keys that come later are made for instances that are there.
        await store.write([{ op: 'put', key: recordKey(id, 'instance', 'record'), value: {} }])
      }
    })
    after(async () => {
      for (const child of children) {
        if (child.exitCode !== null || child.signalCode !== null) continue
        const exit = once(child, 'exit')
        child.disconnect()
        await exit
      }
      await close()
      await redis?.stop()
      await rm(folder, { recursive: true, force: true })
    })

    const file = (): string => path.join(folder, 'store.db')

    async function open(): Promise<void> {
      store =
        redis === undefined
          ? sqliteStore({ file: file() })
          : redisStore({ url: redis.url, ...redisPatience() })
      server = await startTokenServer({ store, instances, sealingKey, resource: MCP })
    }

    async function close(): Promise<void> {
      await server?.close()
      await store?.close()
    }

    async function other(diesAfterRotation: boolean): Promise<[string, ChildProcess]> {
      const told: RotationProcessArguments = {
        at: redis?.url ?? file(),
        isRedis: redis !== undefined,
        instances,
        sealingKey: sealingKey.toString('base64'),
        diesAfterRotation,
      }
      const script = path.join(import.meta.dirname, 'rotation-process.ts')
      const child = fork(script, [JSON.stringify(told)])
      children.push(child)
      const [origin] = (await once(child, 'message')) as [string] // What it says first.
      return [origin, child]
    }

    async function connected(): Promise<readonly [TestClient, unknown]> {
      const client = await server.register({ software_id: '', token_endpoint_auth_method: 'none' })
      const code = await server.mint(client, { scope: 'io.svc.contacts:GET', resource: '/mcp' })
      const body = new URLSearchParams({
        grant_type: 'authorization_code',
        client_id: client.client.id,
        code,
      })
      const answer = await fetch(`${server.origin}/auth/access_token`, { method: 'POST', body })
      const tokens = (await answer.json()) as Record<string, unknown>
      expect(answer.status).to.equal(200)
      return [client, tokens['refresh_token']]
    }

    // The embedded store is for one process (decision D6): `refresh-rotation.test.ts` has its parallel refreshes.
    if (engine === 'Redis') {
      it(`has one successor for ${PARALLEL} refreshes at once in two processes`, async () => {
        const [origin] = await other(false)
        const origins = [server.origin, origin]
        const [client, token] = await connected()
        const outcomes = await Promise.all(
          Array.from({ length: PARALLEL }, (_, i) => refresh(origins[i % 2] ?? '', client, token)),
        )
        expect(outcomes.map(({ status }) => status)).to.deep.equal(Array(PARALLEL).fill(200))
        const successors = new Set(outcomes.map(({ body }) => body['refresh_token']))
        expect(successors.size).to.equal(1)
        const [successor] = successors
        for (const one of origins) {
          expect((await refresh(one, client, successor)).status).to.equal(200)
        }
        const { instance, engine: bound } = server
        expect(await bound.listGrants(instance, client.client.id)).to.have.lengthOf(1)
      })
    }

    it('has the same successor after a process was killed between rotation and answer', async () => {
      const [client, token] = await connected()
      await close()
      const [origin, child] = await other(true)
      const exit = once(child, 'exit')
      const lost = await refresh(origin, client, token).then(
        () => 'answered',
        () => 'lost',
      )
      expect(lost).to.equal('lost')
      expect((await exit)[1]).to.equal('SIGKILL')
      await open()
      const [grant] = await server.engine.listGrants(server.instance, client.client.id)
      expect(grant?.rotation).to.deep.equal({ generation: 1, isUnused: true })
      const again = await refresh(server.origin, client, token)
      expect(again.status).to.equal(200)
      const twice = await refresh(server.origin, client, token)
      expect(twice.body['refresh_token']).to.equal(again.body['refresh_token'])
      const next = await refresh(server.origin, client, again.body['refresh_token'])
      expect(next.status).to.equal(200)
    })
  })
}
