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
import type { OAuthServer } from '../oauth-server.ts'
import { resourceServer } from '../resource-server.ts'
import { MCP } from '../sample-resources.ts'
import { secondProcess } from './token-server.ts'

const PARALLEL = 50

for (const engine of ['a SQLite file', 'Redis'] as const) {
  describe(`a rotating refresh token on ${engine}`, function () {
    this.timeout(60_000)
    const key = randomBytes(32)
    let folder: string
    let redis: RedisServer | undefined
    let store: Store
    let server: OAuthServer
    const others: Awaited<ReturnType<typeof secondProcess>>[] = []

    before(async function () {
      if (engine === 'Redis') needsRedis(this)
      folder = await mkdtemp(path.join(tmpdir(), 'svc-rotation-'))
      if (engine === 'Redis') redis = await startRedisServer()
      await open(false)
    })
    after(async () => {
      for (const each of others) await each.stop()
      await close()
      await redis?.stop()
      await rm(folder, { recursive: true, force: true })
    })

    const file = (): string => path.join(folder, 'store.db')

    async function open(isSecondProcess: boolean): Promise<void> {
      store =
        redis === undefined
          ? sqliteStore({ file: file() })
          : redisStore({ url: redis.url, ...redisPatience() })
      const keys = [{ kid: 'test', key }]
      server = await resourceServer({
        store,
        keys,
        resources: [MCP],
        isSecondProcess,
        isKept: true,
      })
    }

    async function close(): Promise<void> {
      await server?.close()
      await store?.close()
    }

    async function other(diesAfterRotation: boolean) {
      const at = redis?.url ?? file()
      const sealingKey = key.toString('base64')
      const told = { at, isRedis: redis !== undefined, sealingKey, diesAfterRotation }
      const started = await secondProcess(told)
      others.push(started)
      return started
    }

    // The embedded store is for one process (decision D6): `refresh-rotation.test.ts` has its parallel refreshes.
    if (engine === 'Redis') {
      it(`has one successor for ${PARALLEL} refreshes at once in two processes`, async () => {
        const processes = [server, await other(false)] as const
        const id = await server.publicClient()
        const { refresh_token: token } = await server.connect(id)
        const outcomes = await Promise.all(
          Array.from({ length: PARALLEL }, (_, i) =>
            processes[i % 2 === 0 ? 0 : 1].refresh(id, token),
          ),
        )
        expect(outcomes.map(({ status }) => status)).to.deep.equal(Array(PARALLEL).fill(200))
        const successors = new Set(outcomes.map(({ body }) => body['refresh_token']))
        expect(successors.size).to.equal(1)
        const [successor] = successors
        for (const one of processes) {
          expect((await one.refresh(id, String(successor))).status).to.equal(200)
        }
        expect(await listGrants(server, server.instance, id)).to.have.lengthOf(1)
      })
    }

    it('has the same successor after a process was killed between rotation and answer', async () => {
      const id = await server.publicClient()
      const { refresh_token: token } = await server.connect(id)
      await close()
      const mortal = await other(true)
      const lost = await mortal.refresh(id, token).then(
        () => 'answered',
        () => 'lost',
      )
      expect(lost).to.equal('lost')
      expect((await mortal.exit)[1]).to.equal('SIGKILL')
      await open(true)
      const [grant] = await listGrants(server, server.instance, id)
      expect(grant?.rotation).to.deep.equal({ generation: 1, isUnused: true })
      const again = await server.refresh(id, token)
      expect(again.status).to.equal(200)
      const twice = await server.refresh(id, token)
      expect(twice.body['refresh_token']).to.equal(again.body['refresh_token'])
      const next = await server.refresh(id, String(again.body['refresh_token']))
      expect(next.status).to.equal(200)
    })
  })
}
