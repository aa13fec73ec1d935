import { scaledLimit } from '../../../testkit/src/time-budget.ts'
import { testStore } from '../../src/contract.ts'
import { redisStore } from '../../src/redis/index.ts'
import {
  hasRedisServer,
  type RedisServer,
  startRedisServer,
} from '../../src/testing/redis-server.ts'
import { skipUnless } from '../skip-unless.ts'

describe('redisStore', () => {
  let server: RedisServer | undefined
  before(async function () {
    skipUnless(this, hasRedisServer(), 'redis-server is not installed')
    server = await startRedisServer()
  })
  after(() => server?.stop())

  testStore({ describe, it }, 'on one Redis', async (clock) =>
    redisStore({
      url: server?.url ?? '',
      clock,
      countedKinds: ['thing', 'other'],
      commandTimeoutMs: scaledLimit(6000),
    }),
  )
})
