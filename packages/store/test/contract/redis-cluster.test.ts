import { expect } from 'chai'
import { scaledLimit } from '../../../testkit/src/time-budget.ts'
import { testStore } from '../../src/contract.ts'
import { recordKey } from '../../src/index.ts'
import { redisStore } from '../../src/redis/index.ts'
import { hasRedisServer, type RedisCluster, startRedisCluster } from '../../src/testing/index.ts'
import { skipUnless } from '../skip-unless.ts'

describe('redisStore on a Cluster', () => {
  let cluster: RedisCluster | undefined
  before(async function () {
    this.timeout(30_000)
    skipUnless(this, hasRedisServer(), 'redis-server is not installed')
    cluster = await startRedisCluster(2)
  })
  after(() => cluster?.stop())

  testStore({ describe, it }, 'of two nodes', async (clock) =>
    redisStore({
      url: cluster?.urls ?? [],
      clock,
      countedKinds: ['thing', 'other'],
      commandTimeoutMs: scaledLimit(6000),
    }),
  )

  it('spreads instances over the nodes, found through one of them', async () => {
    const [, second] = cluster?.servers ?? []
    const store = redisStore({ nodes: [{ host: '127.0.0.1', port: second?.port ?? 0 }] })
    try {
      const keys = Array.from({ length: 40 }, (_, n) => recordKey(`instance-${n}`, 'thing', 'a'))
      for (const key of keys) await store.write([{ op: 'put', key, value: 1 }])
      for (const key of keys) expect((await store.get(key))?.value).to.equal(1)
    } finally {
      await store.close()
    }
  })
})
