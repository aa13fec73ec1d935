import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { skipUnless } from '@svc/testkit'
import { type DumpEntry, indexKey, recordKey, type Store } from '@svc/store'
import { redisStore } from '@svc/store/redis'
import { sqliteStore } from '@svc/store/sqlite'
import { hasRedisServer, type RedisServer, sendToRedis, startRedisServer } from '@svc/store/testing'
import { isOfServer } from '../../src/storage/store-record.ts'
import { testFolder } from '../support/for-test.ts'
import {
  type CommandResult,
  hostEnvironment,
  runFaultyHost,
  runSvc,
  spawnHost,
} from '../support/host-process.ts'

const HOST = fileURLToPath(new URL('../..', import.meta.url))
const KEY = `k1:${Buffer.from('0123456789abcdefghijklmnopqrstuv').toString('base64')}`

describe('svc store copy', function () {
  this.timeout(120_000)
  let redis: RedisServer
  let dir = ''
  let file = ''
  before(async function () {
    skipUnless(this, hasRedisServer(), 'redis-server is not installed')
    redis = await startRedisServer({ args: ['--appendfsync', 'no'] })
  })
  after(() => redis?.stop())
  beforeEach(async () => {
    await sendToRedis(redis.port, 'FLUSHALL')
    dir = testFolder()
    file = path.join(dir, 'store.db')
  })

  const copyTo = (from: string, to: string): Promise<CommandResult> =>
    runSvc(['store', 'copy', '--from', from, '--to', to, '--json'], hostEnvironment({}))

  it('moves all to Redis and back, and the server after it', async () => {
    const host = await spawnHost({ dataDir: dir, env: { SVC_KEYS: KEY } })
    await host.svc('instance', 'create', 'alice.localhost', '--passphrase', 'one two three')
    const running = await copyTo(`sqlite:${file}`, redis.url)
    expect(running.stderr).to.match(/^(\d+ entries\n)*$/)
    expect(JSON.parse(running.stdout)).to.include({ isDone: false })
    // Written and removed after the first pass.
    await host.svc('instance', 'create', 'bob.localhost', '--passphrase', 'one two three')
    await host.stop()
    await use(sqliteStore({ file }), fill)
    const before = await use(sqliteStore({ file }), contentOf)

    const stopped = await copyTo(`sqlite:${file}`, redis.url)
    expect(stopped.stderr).to.match(/^(\d+ entries\n)*$/)
    expect(JSON.parse(stopped.stdout)).to.include({ isDone: true })
    expect(await use(redisStore({ url: redis.url }), contentOf)).to.deep.equal(before)
    const refused = await runFaultyHost({ SVC_DATA_DIR: dir, SVC_KEYS: KEY })
    expect(refused.stderr).to.include('This store was moved to Redis')
    expect(refused.code).to.equal(78)

    const env = { SVC_KEYS: KEY, SVC_STORE: redis.url }
    const onRedis = await spawnHost({ env })
    const listed = await onRedis.svc('instance', 'list')
    expect(listed.stdout).to.include('alice.localhost').and.to.include('bob.localhost')
    await onRedis.stop()

    const there = await use(redisStore({ url: redis.url }), contentOf)
    const back = path.join(dir, 'back.db')
    const returned = await copyTo(redis.url, `sqlite:${back}`)
    expect(returned.stderr).to.match(/^(\d+ entries\n)*$/)
    expect(await use(sqliteStore({ file: back }), contentOf)).to.deep.equal(there)
    const left = await runFaultyHost(env)
    expect(left.stderr).to.include('This store was moved to an SQLite file')
    expect(left.code).to.equal(78)
  })

  it('goes on after a kill, deletes what went meanwhile, and refuses a target that is not empty', async () => {
    await use(sqliteStore({ file }), async (store) => {
      await store.load(many(6000))
      await fill(store)
    })
    const args = ['store', 'copy', '--from', `sqlite:${file}`, '--to', redis.url]
    const child = spawn(process.execPath, ['--conditions=source', 'src/cli.ts', ...args], {
      cwd: HOST,
      env: hostEnvironment({}),
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const exited = once(child, 'exit')
    await once(child.stderr, 'data')
    while (Number((await sendToRedis(redis.port, 'DBSIZE')).slice(1)) < 1000) await setImmediate()
    child.kill('SIGKILL')
    await exited
    const half = await use(redisStore({ url: redis.url }), contentOf)
    expect(half.length).to.be.within(900, 6000)
    const shared = await runFaultyHost({ SVC_STORE: redis.url, SVC_KEYS: KEY })
    expect(shared.stderr).to.include('the copy is not finished')
    expect(shared.code).to.equal(78)

    // What the first attempt copied changes in the source, and goes.
    await use(sqliteStore({ file }), async (store) => {
      await store.write([
        { op: 'delete', key: recordKey('i0', 'thing', '0') },
        { op: 'revise', key: recordKey('i0', 'thing', '100'), value: 'revised' },
      ])
      await store.scheduler.cancel('copied', 'wake')
    })
    await use(redisStore({ url: redis.url }), (store) => store.scheduler.at('copied', 'wake', 4e12))
    const before = await use(sqliteStore({ file }), contentOf)
    const { code, stdout, stderr } = await copyTo(`sqlite:${file}`, redis.url)
    expect(code, stderr).to.equal(0)
    expect(JSON.parse(stdout)).to.include({ isDone: true, records: 6001 })
    expect(await use(redisStore({ url: redis.url }), contentOf)).to.deep.equal(before)

    const again = await copyTo(`sqlite:${file}`, redis.url)
    expect(again.stderr).to.include('The target holds something already')
    expect(again.code).to.equal(1)
  })

  it('refuses a source that is not there, and one that is its own target', async () => {
    const missing = await copyTo(`sqlite:${file}`, redis.url)
    expect(missing.stderr).to.include(`There is no store in ${file}.`)
    await use(sqliteStore({ file }), fill)
    const same = await copyTo(`sqlite:${file}`, `sqlite:${file}`)
    expect(same.stderr).to.include('the same store')
    const other = await copyTo('file.db', redis.url)
    expect(other.stderr).to.include('A store is sqlite:<file> or redis://')
  })
})

async function use<Result>(store: Store, work: (store: Store) => Promise<Result>): Promise<Result> {
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

/** One of each that a store holds. */
async function fill(store: Store): Promise<void> {
  const indexes = [{ index: indexKey('i', 'all'), sort: 'é' }]
  const expiresAt = Date.now() + 24 * 60 * 60 * 1000
  const value = { text: 'ä\u0000"', n: [1, null] }
  await store.write([{ op: 'put', key: recordKey('i', 'thing', 'a'), value, expiresAt, indexes }])
  await store.write([{ op: 'put', key: recordKey('i', 'thing', 'b'), value: 1 }])
  await store.hit(recordKey('i', 'thing', 'a'), 60 * 60 * 1000, 7)
  await store.scheduler.at('copied', 'wake', Date.now() + 24 * 60 * 60 * 1000)
}

async function* many(count: number): AsyncGenerator<DumpEntry> {
  for (let n = 0; n < count; n++) {
    const key = recordKey(`i${n % 100}`, 'thing', String(n))
    // As a store makes them.
    yield { type: 'record', key, value: { n }, revision: 'loaded0' as never, indexes: [] }
  }
}

/** All of a store, in an order that both engines can have. */
async function contentOf(store: Store): Promise<string[]> {
  const all: string[] = []
  for await (const entry of store.dump()) {
    if (entry.type === 'record' && isOfServer(entry.key)) continue
    const { type, ...members } = entry
    all.push(`${type} ${JSON.stringify(Object.entries(members).toSorted())}`)
  }
  return all.toSorted()
}
