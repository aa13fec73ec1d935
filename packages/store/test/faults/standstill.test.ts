import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import { scaledLimit } from '../../../testkit/src/time-budget.ts'
import { type Store, StoreUnavailableError } from '../../src/index.ts'
import { redisStore } from '../../src/redis/index.ts'
import {
  type BlackHole,
  hasRedisServer,
  type RedisServer,
  startBlackHole,
  startRedisCluster,
  startRedisServer,
} from '../../src/testing/index.ts'
import { skipUnless } from '../skip-unless.ts'
import { CALLS, key } from './calls.ts'
import { untilHealthy } from './until-healthy.ts'

const PATIENCE_MS = scaledLimit(300)

/** Nothing else happens in this process meanwhile. */
function standStill(forMs: number): void {
  const end = performance.now() + forMs
  while (performance.now() < end);
}

describe('a process that stands still', function () {
  this.timeout(60_000)
  let server: RedisServer
  let proxy: BlackHole
  let store: Store

  before(function () {
    skipUnless(this, hasRedisServer(), 'redis-server is not installed')
  })
  beforeEach(async () => {
    server = await startRedisServer()
    proxy = await startBlackHole(server.port)
    store = redisStore({ url: server.url, commandTimeoutMs: PATIENCE_MS })
    await store.health()
  })
  afterEach(async () => {
    await store?.close()
    await proxy?.stop()
    await server?.stop()
  })

  for (const [name, call] of Object.entries(CALLS)) {
    it(`gets the answer of a healthy Redis all the same: ${name}`, async () => {
      // Before the command left, and after.
      const early = call(store)
      standStill(PATIENCE_MS * 2)
      await early
      const late = call(store)
      for (let n = 0; n < 2; n += 1) await turn()
      standStill(PATIENCE_MS * 2)
      await late
    })
  }

  it('gets the answer of a healthy Cluster all the same', async () => {
    const cluster = await startRedisCluster()
    const sharded = redisStore({ url: cluster.urls, commandTimeoutMs: PATIENCE_MS })
    try {
      await sharded.health()
      const answer = sharded.get(key)
      standStill(PATIENCE_MS * 2)
      expect(await answer).to.equal(undefined)
    } finally {
      await sharded.close()
      await cluster.stop()
    }
  })

  it('does not wait longer for a Redis that gives no answer, and lets go of the connection', async () => {
    const cut = redisStore({
      url: `redis://127.0.0.1:${proxy.port}`,
      commandTimeoutMs: PATIENCE_MS,
    })
    try {
      await cut.health()
      proxy.swallow()
      const start = performance.now()
      const refused = cut.get(key).catch((error: unknown) => error)
      let isOver = false
      void refused.then(() => {
        isOver = true
      })
      // Short ones, one after the other.
      while (!isOver && performance.now() < start + 20 * PATIENCE_MS) {
        standStill(80)
        await turn()
      }
      expect(await refused).to.be.an.instanceOf(StoreUnavailableError)
      expect(performance.now() - start).to.be.within(PATIENCE_MS, PATIENCE_MS * 1.3 + 400)
      proxy.pass()
      // By the connection of before nothing would come: what it was sent is lost.
      expect(await untilHealthy(cut)).to.be.lessThan(scaledLimit(5000))
    } finally {
      await cut.close()
    }
  })
})
