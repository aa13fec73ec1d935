import { probeRedis } from '@svc/store/redis'
import { freePort, sendToRedis, startRedisCluster } from '@svc/store/testing'
import { needsRedis, timeBudget } from '@svc/testkit'
import { expect } from 'chai'
import { lineOf, runChecks } from '../../src/checks/check.ts'
import { REDIS_CHECKS } from '../../src/checks/redis.ts'
import { StartChecks } from '../../src/checks/start.ts'
import { loadConfig } from '../../src/config/config.ts'
import { closeAfterTest, testRedis } from '../support/for-test.ts'
import { runFaultyHost } from '../support/host-process.ts'

const KEY = `k1:${Buffer.from(Array.from({ length: 32 }, (_, at) => at * 7 + 1)).toString('base64')}`
const clock = { now: () => Date.now() }

/** What is said of a Redis with these arguments. */
async function wordsOf(
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<string[]> {
  const redis = await testRedis({ args })
  const config = loadConfig({ SVC_STORE: redis.url, ...env })
  const facts = await probeRedis({ url: redis.url })
  const results = await runChecks(REDIS_CHECKS, { config, clock, redis: facts })
  return results.filter(({ state }) => state !== 'ok').map(lineOf)
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
      'fault    redis.commands     This Redis does not know SUBSCRIBE, EVALSHA, SCRIPT. Take one with scripts and publish/subscribe; some managed services leave them out.',
    ])
  })

  it('name the commands that the user may not run', async () => {
    const redis = await testRedis()
    await sendToRedis(
      redis.port,
      'ACL SETUSER limited on >secret ~* &* +@all -script -evalsha -subscribe',
    )
    const url = redis.url.replace('redis://', 'redis://limited:secret@')
    const facts = await probeRedis({ url })
    const config = loadConfig({ SVC_STORE: url })
    const results = await runChecks(REDIS_CHECKS, { config, clock, redis: facts })
    expect(results.filter(({ state }) => state === 'fault').map(lineOf)).to.deep.equal([
      'fault    redis.commands     This Redis does not let its user run SUBSCRIBE, EVALSHA, SCRIPT. Give the user of SVC_STORE these commands in the access list of Redis (ACL SETUSER).',
    ])
  })

  it('name WAIT only where writes wait for replicas', async () => {
    const redis = await testRedis()
    await sendToRedis(redis.port, 'ACL SETUSER limited on >secret ~* &* +@all -wait')
    const url = redis.url.replace('redis://', 'redis://limited:secret@')
    const facts = await probeRedis({ url })
    const faults = async (env: Record<string, string>): Promise<string[]> => {
      const config = loadConfig({ SVC_STORE: url, ...env })
      const results = await runChecks(REDIS_CHECKS, { config, clock, redis: facts })
      return results.filter(({ state }) => state === 'fault').map(({ text }) => text)
    }
    expect(await faults({})).to.deep.equal([])
    expect(await faults({ SVC_STORE_REPLICAS: '1' })).to.deep.equal([
      'This Redis does not let its user run WAIT.',
    ])
  })

  it('name CLUSTER when the user of a Cluster may not run it', async () => {
    const cluster = await startRedisCluster(2)
    closeAfterTest(() => cluster.stop())
    for (const { port } of cluster.servers) {
      await sendToRedis(port, 'ACL SETUSER limited on >secret ~* &* +@all -cluster')
    }
    const url = cluster.urls.map((one) => one.replace('redis://', 'redis://limited:secret@'))
    const { forbidden } = await probeRedis({ url })
    expect(forbidden).to.deep.equal(['CLUSTER'])
  })

  // What an operator writes who keeps a service from everything that is dangerous.
  it('refuse the start within 10 s when the user may not run INFO', async () => {
    const redis = await testRedis()
    await sendToRedis(
      redis.port,
      'ACL SETUSER limited on >secret resetchannels ~* &* +@all -@dangerous',
    )
    const begin = performance.now()
    const { code, stderr } = await runFaultyHost({
      SVC_STORE: redis.url.replace('redis://', 'redis://limited:secret@'),
      SVC_DEMO: 'off',
      SVC_KEYS: KEY,
    })
    expect(code, stderr).to.equal(78)
    expect(performance.now() - begin).to.be.below(timeBudget(10_000))
    expect(stderr).to.include('redis.commands: This Redis does not let its user run INFO.')
    expect(stderr).to.not.include('secret')
  })

  for (const command of ['SCRIPT', 'EVALSHA', 'SUBSCRIBE']) {
    it(`refuse the start of a server whose Redis does not know ${command}`, async () => {
      const redis = await testRedis({ args: ['--rename-command', command, ''] })
      const { code, stderr } = await runFaultyHost({
        SVC_STORE: redis.url,
        SVC_DEMO: 'off',
        SVC_KEYS: KEY,
      })
      expect(code, stderr).to.equal(78)
      expect(stderr).to.include(`redis.commands: This Redis does not know ${command}.`)
      expect(stderr).to.not.match(/\n {4}at /)
    })
  }

  it('refuse a Cluster that goes on without some of its slots', async () => {
    const cluster = await startRedisCluster(2)
    closeAfterTest(() => cluster.stop())
    for (const { port } of cluster.servers) {
      await sendToRedis(port, 'CONFIG SET cluster-require-full-coverage no')
      await sendToRedis(port, 'CLUSTER DELSLOTSRANGE 100 199')
    }
    const facts = await probeRedis({ url: cluster.urls })
    const config = loadConfig({ SVC_STORE: cluster.urls.join(',') })
    const results = await runChecks(REDIS_CHECKS, { config, clock, redis: facts })
    const [said] = results.filter(({ state }) => state === 'fault').map(lineOf)
    expect(said).to.match(
      /^fault {4}redis\.slots .*This Redis Cluster serves 16284 of its 16384 slots/,
    )
  })

  it('wait for a Cluster without some of its slots, and then say how many it serves', async () => {
    const cluster = await startRedisCluster(2)
    closeAfterTest(() => cluster.stop())
    for (const { port } of cluster.servers) {
      await sendToRedis(port, 'CLUSTER DELSLOTSRANGE 100 199')
    }
    const config = loadConfig({ SVC_STORE: cluster.urls.join(',') })
    const warnings: unknown[] = []
    const log = { warn: (_event: string, fields?: object) => void warnings.push(fields) }
    const thrown: unknown = await new StartChecks({ config, clock, log, storeWaitMs: 1000 })
      .reachStore()
      .catch((error: unknown) => error)
    expect(thrown).to.include({ code: 'store_unavailable' })
    expect(String(thrown)).to.include('the Cluster serves 16284 of its 16384 slots')
  })

  it('refuse a start in production on one that removes records', async () => {
    const redis = await testRedis({ args: ['--maxmemory-policy', 'volatile-ttl'] })
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
    await testRedis({ port })
    await coming
  })
})
