import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { scaledLimit } from '../../../testkit/src/time-budget.ts'
import { until } from '../../../testkit/src/until.ts'
import { type Key, recordKey, type Store, StoreUnavailableError } from '../../src/index.ts'
import { probeRedis, redisStore } from '../../src/redis/index.ts'
import {
  hasRedisServer,
  type RedisServer,
  sendToRedis,
  startRedisServer,
} from '../../src/testing/index.ts'
import { skipUnless } from '../skip-unless.ts'

const SENTINELS = 3
const REPLICAS = 2
const WRITERS = 4
/** Sentinels look every few seconds. */
const PATIENT = { limitMs: 30_000 }
/** After the new master is there. @see operation.md 6.7 */
const BACK_MS = 5000

const keyOf = (writer: number, n: number): Key => recordKey('i', 'thing', `${writer}-${n}`)

describe('redisStore behind three sentinels', function () {
  this.timeout(60_000)
  const servers: RedisServer[] = []
  let store: Store | undefined
  let isOver = false
  before(function () {
    skipUnless(this, hasRedisServer(), 'redis-server is not installed')
  })
  after(async () => {
    isOver = true
    await store?.close()
    for (const server of servers) await server.stop()
  })

  it('loses nothing acknowledged in a fail-over, and serves again within 5 s of it', async () => {
    const master = await start()
    const replicas: RedisServer[] = []
    for (let n = 0; n < REPLICAS; n += 1) {
      replicas.push(await start('--replicaof', '127.0.0.1', String(master.port)))
    }
    const ports: number[] = []
    for (let n = 0; n < SENTINELS; n += 1) ports.push(await startSentinel(master))
    for (const port of ports) await until(() => knowsAll(port), PATIENT)

    const url = `redis+sentinel://${ports.map((port) => `127.0.0.1:${port}`).join(',')}/people`
    expect((await probeRedis({ url, waitMs: scaledLimit(5000) })).missing).to.deep.equal([])
    const waitReplicas = { count: 1, timeoutMs: Math.min(1900, scaledLimit(300)) }
    const open = redisStore({ url, waitReplicas })
    store = open
    const acknowledged: Key[] = []
    const otherErrors: string[] = []
    let lastAt = 0
    async function write(writer: number): Promise<void> {
      for (let n = 0; !isOver; n += 1) {
        const key = keyOf(writer, n)
        try {
          await open.write([{ op: 'put', key, value: n }])
          acknowledged.push(key)
          lastAt = performance.now()
        } catch (error) {
          if (!(error instanceof StoreUnavailableError)) otherErrors.push(String(error))
          // A refusal needs no turn of the event loop, and sockets do.
          await new Promise((resolve) => setImmediate(resolve))
        }
      }
    }
    const writing = Array.from({ length: WRITERS }, (_, writer) => write(writer))
    await until(() => acknowledged.length > 50 * WRITERS, PATIENT)
    await master.kill()
    await until(() => hasMaster(replicas), PATIENT)
    const failedOverAt = performance.now()
    await until(() => lastAt > failedOverAt, PATIENT)
    expect(lastAt - failedOverAt).to.be.lessThan(scaledLimit(BACK_MS))
    isOver = true
    await Promise.all(writing)
    expect(otherErrors).to.deep.equal([])
    for (let at = 0; at < acknowledged.length; at += 100) {
      const some = acknowledged.slice(at, at + 100)
      const found = await reading(() => open.getMany(some))
      expect(found.every((record) => record !== undefined)).to.equal(true)
    }
  })

  async function start(...args: string[]): Promise<RedisServer> {
    const server = await startRedisServer({ args: ['--repl-diskless-sync-delay', '0', ...args] })
    servers.push(server)
    return server
  }

  async function startSentinel(master: RedisServer): Promise<number> {
    const file = join(master.dir, `sentinel-${servers.length}.conf`)
    writeFileSync(
      file,
      [
        `sentinel monitor people 127.0.0.1 ${master.port} 2`,
        `sentinel down-after-milliseconds people ${scaledLimit(1000)}`,
        'sentinel failover-timeout people 3000',
        'sentinel parallel-syncs people 2',
      ].join('\n'),
    )
    const sentinel = await startRedisServer({ sentinel: file })
    servers.push(sentinel)
    return sentinel.port
  }
})

/** The new master closes connections once more when the sentinels announce it: whoever reads then tries again. */
function reading<T extends object>(read: () => Promise<T>): Promise<T> {
  return until(async () => {
    try {
      return await read()
    } catch (error) {
      if (error instanceof StoreUnavailableError) return undefined
      throw error
    }
  }, PATIENT)
}

/** Whether a sentinel knows both others and good replicas: before that there is no fail-over. */
async function knowsAll(port: number): Promise<boolean> {
  const replicas = await ask(port, 'SENTINEL replicas people')
  const master = await ask(port, 'SENTINEL master people')
  const good = replicas.match(/link-status\r\n\$2\r\nok/g)?.length
  return good === REPLICAS && /num-other-sentinels\r\n\$1\r\n2/.test(master)
}

async function hasMaster(replicas: readonly RedisServer[]): Promise<boolean> {
  const roles = await Promise.all(replicas.map(({ port }) => ask(port, 'ROLE')))
  return roles.some((role) => role.includes('master'))
}

/** Nothing when a sentinel closes the connection meanwhile, as it does in a fail-over. */
function ask(port: number, command: string): Promise<string> {
  return sendToRedis(port, command).catch(() => '')
}
