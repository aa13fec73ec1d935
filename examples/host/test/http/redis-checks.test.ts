import { probeRedis } from '@svc/store/redis'
import { freePort, startRedisServer } from '@svc/store/testing'
import { needsRedis } from '@svc/testkit'
import { expect } from 'chai'
import { lineOf, runChecks } from '../../src/checks/check.ts'
import { REDIS_CHECKS } from '../../src/checks/redis.ts'
import { StartChecks } from '../../src/checks/start.ts'
import { loadConfig } from '../../src/config/config.ts'

const KEY = `k1:${Buffer.from(Array.from({ length: 32 }, (_, at) => at * 7 + 1)).toString('base64')}`
const clock = { now: () => Date.now() }

/** What is said of a Redis with these arguments. */
async function wordsOf(
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<string[]> {
  const redis = await startRedisServer({ args })
  try {
    const config = loadConfig({ SVC_STORE: redis.url, ...env })
    const facts = await probeRedis({ url: redis.url })
    const results = await runChecks(REDIS_CHECKS, { config, clock, redis: facts })
    return results.filter(({ state }) => state !== 'ok').map(lineOf)
  } finally {
    await redis.stop()
  }
}

/** @see operation.md 2.2 */
describe('checks of Redis', function () {
  this.timeout(30_000)
  before(function () {
    needsRedis(this)
  })

  it('have nothing to say about one that loses nothing', async () => {
    expect(await wordsOf([])).to.deep.equal([])
  })

  it('name each setting that loses records', async () => {
    const args = ['--appendonly', 'no', '--appendfsync', 'no', '--maxmemory-policy', 'allkeys-lru']
    const env = { NODE_ENV: 'production', SVC_STORE_REPLICAS: '2' }
    expect(await wordsOf(args, env)).to.deep.equal([
      'warning  redis.appendonly   Redis keeps no append-only file: acknowledged writes are lost when it stops. Set "appendonly yes" in its configuration.',
      'warning  redis.fsync        Redis leaves it to the system when its append-only file is synced (appendfsync no). Set "appendfsync always", or "everysec" where losing one second is acceptable.',
      'fault    redis.eviction     Redis removes records when memory is short (maxmemory-policy allkeys-lru), so that a revoked token may work again. Set "maxmemory-policy noeviction" in its configuration.',
      'warning  redis.replicas     Writes wait for 2 replicas, but a master that lost them goes on taking writes. Set "min-replicas-to-write 2" in the configuration of Redis.',
    ])
  })

  it('warn of what a managed service does not let us ask', async () => {
    const words = await wordsOf(['--rename-command', 'CONFIG', ''], { SVC_STORE_REPLICAS: '1' })
    expect(words).to.deep.equal([
      'warning  redis.fsync        Redis does not let us ask for appendfsync. Look it up where you set this Redis up.',
      'warning  redis.replicas     Redis does not let us ask for min-replicas-to-write. Look it up where you set this Redis up.',
    ])
  })

  it('name the commands that a service does not know', async () => {
    const args = ['SCRIPT', 'EVALSHA', 'SUBSCRIBE'].flatMap((name) => [
      '--rename-command',
      name,
      '',
    ])
    expect(await wordsOf(args)).to.deep.equal([
      'fault    redis.commands     This Redis does not know SCRIPT, EVALSHA, SUBSCRIBE. Take one with scripts and publish/subscribe; some managed services leave them out.',
    ])
  })

  it('refuse a start in production on one that removes records', async () => {
    const redis = await startRedisServer({ args: ['--maxmemory-policy', 'volatile-ttl'] })
    try {
      const config = loadConfig({ NODE_ENV: 'production', SVC_STORE: redis.url, SVC_KEYS: KEY })
      const warnings: unknown[] = []
      const log = { warn: (_event: string, fields?: object) => void warnings.push(fields) }
      const checks = new StartChecks({ config, clock, log })
      await checks.reachStore()
      const thrown = await checks.redis().then(
        () => 'no fault',
        (error: Error) => error.message,
      )
      expect(thrown).to.match(/^the server does not start:\n {2}- redis\.eviction: Redis removes/)
    } finally {
      await redis.stop()
    }
  })

  it('ask one that is down until it is there, and give up in time', async () => {
    const port = await freePort()
    const config = loadConfig({ SVC_STORE: `redis://user:secret@127.0.0.1:${port}` })
    const log = { warn: () => {} }
    const thrown: unknown = await new StartChecks({ config, clock, log, storeWaitMs: 300 })
      .reachStore()
      .catch((error: unknown) => error)
    expect(thrown).to.include({ code: 'store_unavailable' })
    expect(String(thrown)).to.include(`Redis at 127.0.0.1:${port} cannot be reached`)
    expect(String(thrown)).to.not.include('secret')
    const coming = new StartChecks({
      config: loadConfig({ SVC_STORE: `redis://127.0.0.1:${port}` }),
      clock,
      log,
      storeWaitMs: 20_000,
    }).reachStore()
    const redis = await startRedisServer({ port })
    try {
      await coming
    } finally {
      await redis.stop()
    }
  })
})
