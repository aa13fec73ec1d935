import { scaledLimit } from '../../../testkit/src/time-budget.ts'
import type { Clock } from '../../src/clock.ts'
import { testStore } from '../../src/contract.ts'
import { redisStore } from '../../src/redis/index.ts'
import type { Store } from '../../src/store.ts'
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

  const open = async (clock: Clock): Promise<Store> =>
    redisStore({
      url: server?.url ?? '',
      clock,
      countedKinds: ['thing', 'other'],
      commandTimeoutMs: scaledLimit(6000),
    })
  // Whatever the name: its keys lie in the same database, below an instance of their own.
  testStore({ describe, it }, 'on one Redis', open, { openData: open })
})
