import { expect } from 'chai'
import { scaledLimit } from '../../../testkit/src/time-budget.ts'
import type { Clock } from '../../src/clock.ts'
import { testStore } from '../../src/contract.ts'
import { probeRedis, redisStore } from '../../src/redis/index.ts'
import type { Store } from '../../src/store.ts'
import { sendToRedis } from '../../src/testing/redis-server.ts'
import { redisForSuite } from '../redis-for-suite.ts'

describe('redisStore', () => {
  const server = redisForSuite()
  let url = ''
  before(async () => {
    const { port, url: plain } = server()
    url = plain.replace('redis://', 'redis://narrow:secret@')
    await sendToRedis(port, 'ACL SETUSER narrow on >secret ~* &* -@all +multi')
    const { forbidden = [] } = await probeRedis({ url })
    const needed = forbidden.map((name) => `+${name.toLowerCase()}`)
    await sendToRedis(port, `ACL SETUSER narrow ${needed.join(' ')}`)
  })

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
