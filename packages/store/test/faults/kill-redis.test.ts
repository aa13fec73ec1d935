import { randomInt } from 'node:crypto'
import { expect } from 'chai'
import { scaledLimit } from '../../../testkit/src/time-budget.ts'
import { until } from '../../../testkit/src/until.ts'
import type { Store } from '../../src/index.ts'
import { redisStore } from '../../src/redis/index.ts'
import { hasRedisServer, type RedisServer, startRedisServer } from '../../src/testing/index.ts'
import { skipUnless } from '../skip-unless.ts'
import { audit } from './audit.ts'
import { createLedger } from './ledger.ts'
import { stream } from './stream.ts'
import { untilHealthy } from './until-healthy.ts'

const ROUNDS = 50
/** Steps that are acknowledged before Redis is killed, on average. */
const MEAN_ACKNOWLEDGED = 100

describe('kill -9 of redis-server in a stream of acknowledged writes', function () {
  this.timeout(120_000)
  let server: RedisServer
  let store: Store

  before(async function () {
    skipUnless(this, hasRedisServer(), 'redis-server is not installed')
    server = await startRedisServer()
    store = redisStore({ url: server.url })
  })
  after(async () => {
    await store?.close()
    await server?.stop()
  })

  it('loses and revives nothing, and serves again without a restart, 50 times', async () => {
    let acknowledged = 0
    for (let number = 0; number < ROUNDS; number++) {
      const round = `r${number}`
      const ledger = createLedger()
      let isOver = false
      const streaming = stream(store, round, ledger.note, () => isOver)
      const count = randomInt(1, 2 * MEAN_ACKNOWLEDGED)
      await until(() => ledger.acknowledged >= count)
      await server.kill()
      isOver = true
      await streaming
      await server.restart()
      expect(await untilHealthy(store)).to.be.lessThan(scaledLimit(5000))
      expect(await audit(store, round, ledger), round).to.deep.equal([])
      acknowledged += ledger.acknowledged
    }
    expect(acknowledged).to.be.greaterThan(ROUNDS * 20)
  })
})
