import path from 'node:path'
import { skipUnless } from '@svc/testkit'
import { expect } from 'chai'
import { randomId } from '@svc/platform'
import { indexKey, recordKey } from '@svc/store'
import { redisStore } from '@svc/store/redis'
import { hasRedisServer, type RedisServer, sendToRedis, startRedisServer } from '@svc/store/testing'
import { DEPLOY } from '../support/deploy/proxies.ts'

const CONF = path.join(DEPLOY, 'redis/svc.conf')

describe('the configuration file for Redis (operation.md 6.9)', function () {
  this.timeout(20_000)
  let redis: RedisServer
  before(async function () {
    skipUnless(this, hasRedisServer(), 'redis-server is not installed')
    redis = await startRedisServer({ args: ['--appendonly', 'no', '--include', CONF] })
  })
  after(() => redis?.stop())

  it('is one that Redis takes, and loses nothing', async () => {
    for (const [name, value] of [
      ['appendonly', 'yes'],
      ['appendfsync', 'always'],
      ['maxmemory-policy', 'noeviction'],
    ]) {
      expect(await sendToRedis(redis.port, `CONFIG GET ${name}`)).to.include(`\r\n${value}\r\n`)
    }
  })

  it('keeps a small index packed, however long the names of our records are', async () => {
    const instance = randomId()
    const client = 'c'.repeat(32)
    const index = indexKey(instance, `grants:${client}`)
    const key = recordKey(instance, 'registration-token', 't'.repeat(43))
    const store = redisStore({ url: redis.url })
    try {
      const sort = `${'1'.repeat(15)}:${client}`
      await store.write([{ op: 'put', key, value: 1, indexes: [{ index, sort }] }])
    } finally {
      await store.close()
    }
    const name = `{${instance}}:#index:grants:${client}`
    expect(await sendToRedis(redis.port, `OBJECT ENCODING ${name}`)).to.include('listpack')
    const bytes = Number((await sendToRedis(redis.port, `MEMORY USAGE ${name}`)).slice(1))
    expect(bytes).to.be.within(1, 400)
  })
})
