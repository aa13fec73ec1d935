import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { scaledLimit } from '../../../testkit/src/time-budget.ts'
import { until } from '../../../testkit/src/until.ts'
import { recordKey, type Store, StoreUnavailableError } from '../../src/index.ts'
import { createClient, failFast } from '../../src/redis/client.ts'
import { redisStore } from '../../src/redis/index.ts'
import {
  freePort,
  hasRedisServer,
  type RedisServer,
  sendToRedis,
  startBlackHole,
  startRedisServer,
} from '../../src/testing/index.ts'
import { skipUnless } from '../skip-unless.ts'
import { untilHealthy } from './until-healthy.ts'

const key = recordKey('i', 'thing', 'a')
/** Sentinels look every few seconds. */
const FAIL_OVER = { limitMs: 20_000 }
/** More than Node.js takes for a leak. */
const MANY = 30

describe('redisStore with replicas', function () {
  this.timeout(30_000)
  let master: RedisServer
  let replica: RedisServer
  const servers: RedisServer[] = []
  const stores: Store[] = []

  beforeEach(async function () {
    skipUnless(this, hasRedisServer(), 'redis-server is not installed')
    master = await start()
    replica = await start('--replicaof', '127.0.0.1', String(master.port))
    // Its first acknowledgement comes a second after the first copy.
    await sendToRedis(master.port, 'SET something 1')
    await until(async () => /offset=[1-9]/.test(await ask(master.port, 'INFO replication')))
  })
  afterEach(async () => {
    for (const store of stores.splice(0)) await store.close()
    for (const server of servers.splice(0)) await server.stop()
  })

  async function start(...args: string[]): Promise<RedisServer> {
    const server = await startRedisServer({ args: ['--repl-diskless-sync-delay', '0', ...args] })
    servers.push(server)
    return server
  }

  it('acknowledges when a replica has it, and calls it unknown when none has', async () => {
    const waitReplicas = { count: 1, timeoutMs: Math.min(1900, scaledLimit(300)) }
    const store = redisStore({ url: master.url, waitReplicas })
    stores.push(store)
    const put = { op: 'put', key, value: 1 } as const
    expect((await store.write([put])).written).to.equal(true)
    // The script cache is empty again: the same by the longer way.
    await sendToRedis(master.port, 'SCRIPT FLUSH SYNC')
    expect((await store.take(key))?.value).to.equal(1)
    replica.pause()
    const outcome = await store.write([put]).catch((error: unknown) => error)
    replica.resume()
    expect(outcome).to.be.instanceOf(StoreUnavailableError)
    expect(outcome).to.have.property('message', '0 of 1 replicas have the write')
    expect((await store.get(key))?.value).to.equal(1)
  })

  it('follows the sentinels to the new master', async () => {
    const sentinelPort = await startSentinel()
    const store = redisStore({
      url: `redis+sentinel://127.0.0.1:${sentinelPort}/people`,
      waitReplicas: { count: 1 },
    })
    stores.push(store)
    await store.write([{ op: 'put', key, value: 'before' }])
    const plain = redisStore({
      sentinels: [{ host: '127.0.0.1', port: sentinelPort }],
      master: 'people',
    })
    stores.push(plain)
    expect((await plain.get(key))?.value).to.equal('before')
    await master.kill()
    await until(async () => (await ask(replica.port, 'ROLE')).includes('master'), FAIL_OVER)
    expect(await untilHealthy(plain)).to.be.lessThan(scaledLimit(5000))
    expect((await plain.get(key))?.value).to.equal('before')
    await plain.write([{ op: 'put', key, value: 'after' }])
    expect((await plain.get(key))?.value).to.equal('after')
  })

  it('comes back when the fail-over is announced while it asks the sentinels, of which one does not answer', async () => {
    const sentinelPort = await startSentinel()
    const silent = await startBlackHole(sentinelPort)
    silent.swallow()
    const late = await startBlackHole(sentinelPort)
    try {
      const store = redisStore({
        sentinels: [silent, late].map(({ port }) => ({ host: '127.0.0.1', port })),
        master: 'people',
      })
      stores.push(store)
      await untilHealthy(store)
      await until(() => hasSubscriber(sentinelPort))
      late.swallowNew()
      await master.kill()
      const isSwitched = async (): Promise<boolean> =>
        (await ask(sentinelPort, 'SENTINEL get-master-addr-by-name people')).includes(
          `\r\n${replica.port}\r\n`,
        )
      await until(isSwitched, FAIL_OVER)
      // Whoever was subscribed has heard of it, or had gone already.
      await until(async () => !(await hasSubscriber(sentinelPort)))
      late.pass()
      await untilHealthy(store)
      await store.write([{ op: 'put', key, value: 'after' }])
      expect((await store.get(key))?.value).to.equal('after')
    } finally {
      await silent.stop()
      await late.stop()
    }
  })

  it('lets go of what watches the sentinels once, however often it comes in vain', async () => {
    const warnings = collectWarnings()
    const port = await startSentinel(60_000)
    const client = createClient(
      { sentinels: [{ host: '127.0.0.1', port }], master: 'people' },
      'test',
      { ...failFast(scaledLimit(1000)), retryStrategy: () => 1 },
    )
    client.on('error', () => {})
    try {
      await until(() => client.status === 'ready')
      await until(() => hasSubscriber(port))
      let lost = 0
      client.on('close', () => {
        lost += 1
      })
      await master.kill()
      await until(() => lost > MANY, FAIL_OVER)
    } finally {
      client.disconnect()
    }
    expect(warnings.take()).to.deep.equal([])
  })

  it('leaves a master that was demoted once, however many writes it refuses', async () => {
    const warnings = collectWarnings()
    const store = redisStore({ url: master.url })
    stores.push(store)
    await store.health()
    await sendToRedis(master.port, `REPLICAOF 127.0.0.1 ${replica.port}`)
    const outcomes = await Promise.all(
      Array.from({ length: MANY }, (_, n) =>
        store.write([{ op: 'put', key, value: n }]).catch((error: unknown) => error),
      ),
    )
    for (const outcome of outcomes) expect(outcome).to.be.instanceOf(StoreUnavailableError)
    await sendToRedis(master.port, 'REPLICAOF NO ONE')
    await untilHealthy(store)
    expect(warnings.take()).to.deep.equal([])
  })

  async function startSentinel(downAfterMs = scaledLimit(1500)): Promise<number> {
    const port = await freePort()
    const file = join(master.dir, 'sentinel.conf')
    writeFileSync(
      file,
      [
        `sentinel monitor people 127.0.0.1 ${master.port} 1`,
        `sentinel down-after-milliseconds people ${downAfterMs}`,
        'sentinel failover-timeout people 2000',
      ].join('\n'),
    )
    servers.push(await startRedisServer({ port, sentinel: file }))
    // A fail-over needs a replica that the sentinel knows to be good.
    await until(
      async () => /link-status\r\n\$2\r\nok/.test(await ask(port, 'SENTINEL replicas people')),
      FAIL_OVER,
    )
    return port
  }
})

/** What Node.js warns of from now on, such as listeners that are added again and again. */
function collectWarnings(): { take(): readonly string[] } {
  const found: string[] = []
  const note = ({ message }: Error): void => {
    found.push(message)
  }
  process.on('warning', note)
  return {
    take() {
      process.off('warning', note)
      return found
    },
  }
}

async function hasSubscriber(sentinelPort: number): Promise<boolean> {
  return / sub=1 /.test(await ask(sentinelPort, 'CLIENT LIST'))
}

/** Like sendToRedis; nothing when a sentinel closes the connection meanwhile, as it does in a fail-over. */
function ask(port: number, command: string): Promise<string> {
  return sendToRedis(port, command).catch(() => '')
}
