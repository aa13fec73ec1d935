import { expect } from 'chai'
import {
  indexKey,
  type Key,
  recordKey,
  type Store,
  StoreUnavailableError,
} from '../../src/index.ts'
import { redisStore } from '../../src/redis/index.ts'
import {
  hasRedisServer,
  type RedisServer,
  sendToRedis,
  startRedisServer,
} from '../../src/testing/index.ts'
import { skipUnless } from '../skip-unless.ts'

const MINUTE_MS = 60_000
const key = (id: string): Key => recordKey('i', 'thing', id)
const all = indexKey('i', 'all')

describe('redisStore on a Redis whose memory is used up', () => {
  let server: RedisServer
  let store: Store
  before(async function () {
    skipUnless(this, hasRedisServer(), 'redis-server is not installed')
    server = await startRedisServer({ args: ['--maxmemory-policy', 'noeviction'] })
    store = redisStore({ url: server.url })
  })
  after(async () => {
    await store?.close()
    await server?.stop()
  })
  beforeEach(async () => {
    await sendToRedis(server.port, 'CONFIG SET maxmemory 0')
    await sendToRedis(server.port, 'FLUSHALL')
    for (const id of ['a', 'b', 'c']) {
      const indexes = [{ index: all, sort: id }]
      await store.write([{ op: 'put', key: key(id), value: { text: 'x'.repeat(1000) }, indexes }])
    }
    // Less than it uses.
    expect(await sendToRedis(server.port, 'CONFIG SET maxmemory 1024')).to.equal('+OK\r\n')
  })

  const refused = async (work: Promise<unknown>): Promise<void> => {
    const failure = await work.catch((error: unknown) => error)
    expect(failure).to.be.instanceOf(StoreUnavailableError).and.to.include({ status: 503 })
  }

  it('refuses what grows, and is not healthy', async () => {
    await refused(store.write([{ op: 'put', key: key('new'), value: 1 }]))
    await refused(store.write([{ op: 'put', key: key('new'), value: 1, ifAbsent: true }]))
    const big = { text: 'x'.repeat(2000) }
    await refused(store.write([{ op: 'revise', key: key('a'), value: big }]))
    await refused(store.write([{ op: 'put', key: key('a'), value: big, ifPresent: true }]))
    await refused(store.load([{ type: 'counter', key: key('a'), count: 1, resetsAt: 4e12 }]))
    await refused(store.scheduler.at('queue', 'id', 4e12))
    await refused(store.health())
    expect(await store.get(key('new'))).to.equal(undefined)
    expect((await store.get(key('a')))?.value).to.deep.equal({ text: 'x'.repeat(1000) })
  })

  it('reads, deletes and takes, with all that belongs to it', async () => {
    const id = 'x'.repeat(22)
    const deleted = await store.write([{ op: 'delete', key: key('a') }], { id })
    expect(deleted.written).to.equal(true)
    expect(await store.write([{ op: 'delete', key: key('a') }], { id })).to.deep.equal(deleted)
    expect((await store.take(key('b')))?.key).to.equal(key('b'))
    const { records } = await store.list(all)
    expect(records.map((record) => record.key)).to.deep.equal([key('c')])
  })

  it('writes a condition that fails as such', async () => {
    const write = store.write([{ op: 'put', key: key('a'), value: 1, ifAbsent: true }])
    expect(await write).to.deep.equal({ written: false, failed: key('a') })
  })

  it('replaces a value by one that is not larger, and marks what ends', async () => {
    const { revision } = (await store.get(key('a'))) ?? {}
    if (revision === undefined) throw new Error('nothing there')
    const ended = { text: 'ended' }
    const expiresAt = Date.now() + MINUTE_MS
    const write = await store.write([
      { op: 'put', key: key('a'), value: ended, ifRevision: revision },
      { op: 'put', key: key('mark-of-a'), value: { endedAt: 1 }, expiresAt },
    ])
    expect(write.written).to.equal(true)
    expect((await store.get(key('a')))?.value).to.deep.equal(ended)
    expect((await store.get(key('mark-of-a')))?.value).to.deep.equal({ endedAt: 1 })
    const touched = await store.write([{ op: 'touch', key: key('b'), expiresAt }])
    expect(touched.written).to.equal(true)
    const revised = await store.write([{ op: 'revise', key: key('c'), value: null }])
    expect(revised.written).to.equal(true)
  })

  it('counts what limits those requests, and tells other processes', async () => {
    expect((await store.hit(key('a'), MINUTE_MS)).count).to.equal(1)
    expect((await store.hit(key('a'), MINUTE_MS)).count).to.equal(2)
    const heard = new Promise((resolve) => {
      void store.bus.subscribe('ended', resolve).then(() => store.bus.publish('ended', 'a'))
    })
    expect(await heard).to.equal('a')
  })

  it('takes everything again once there is memory', async () => {
    await sendToRedis(server.port, 'CONFIG SET maxmemory 0')
    await store.health()
    expect((await store.write([{ op: 'put', key: key('new'), value: 1 }])).written).to.equal(true)
  })
})
