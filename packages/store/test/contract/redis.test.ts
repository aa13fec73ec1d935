import { expect } from 'chai'
import { scaledLimit } from '../../../testkit/src/time-budget.ts'
import type { Clock } from '../../src/clock.ts'
import { testStore } from '../../src/contract.ts'
import { probeRedis, redisStore } from '../../src/redis/index.ts'
import type { Store } from '../../src/store.ts'
import {
  hasRedisServer,
  type RedisServer,
  sendToRedis,
  startRedisServer,
} from '../../src/testing/redis-server.ts'
import { skipUnless } from '../skip-unless.ts'

describe('redisStore', () => {
  let server: RedisServer | undefined
  let url = ''
  before(async function () {
    skipUnless(this, hasRedisServer(), 'redis-server is not installed')
    server = await startRedisServer()
    const { port } = server
    url = server.url.replace('redis://', 'redis://narrow:secret@')
    await sendToRedis(port, 'ACL SETUSER narrow on >secret ~* &* -@all +multi')
    const { forbidden = [] } = await probeRedis({ url })
    const needed = forbidden.map((name) => `+${name.toLowerCase()}`)
    await sendToRedis(port, `ACL SETUSER narrow ${needed.join(' ')}`)
  })
  after(() => server?.stop())

  const open = async (clock: Clock): Promise<Store> =>
    redisStore({
      url,
      clock,
      countedKinds: ['thing', 'other'],
      commandTimeoutMs: scaledLimit(6000),
    })
  it('needs no command that the probe does not name', async () => {
    const { missing, forbidden } = await probeRedis({ url })
    expect([missing, forbidden]).to.deep.equal([[], []])
  })
  // Run by a user who may run nothing else. Whatever the name: its keys lie in the same database, below an instance of their own.
  testStore({ describe, it }, 'on one Redis', open, { openData: open })
})
