import { expect } from 'chai'
import { indexKey, type Key, recordKey, type Store } from '../../src/index.ts'
import { redisStore } from '../../src/redis/index.ts'
import { eventually } from '../../src/contract/suite.ts'
import { sendToRedis } from '../../src/testing/index.ts'
import { startChild } from '../child.ts'
import { redisForSuite } from '../redis-for-suite.ts'

const MINUTE_MS = 60_000
const index = indexKey('i', 'all')
const physicalIndex = '{i}:#index:all'
const key = (id: string): Key => recordKey('i', 'thing', id)

describe('what redisStore leaves in Redis', () => {
  const server = redisForSuite()
  let store: Store

  before(() => {
    store = redisStore({ url: server().url })
  })
  after(() => store.close())
  beforeEach(() => sendToRedis(server().port, 'FLUSHALL'))

  const ask = async (command: string): Promise<number> =>
    Number((await sendToRedis(server().port, command)).slice(1))
  const put = (id: string, expiresAt?: number): Promise<unknown> => {
    const indexes = [{ index, sort: id }]
    return store.write([
      { op: 'put', key: key(id), value: 1, indexes, ...(expiresAt && { expiresAt }) },
    ])
  }

  it('is nothing once all records are gone', async () => {
    for (const id of ['a', 'b', 'c']) await put(id)
    expect(await ask(`ZCARD ${physicalIndex}`)).to.equal(3)
    await store.take(key('a'))
    await store.write([{ op: 'delete', key: key('b') }])
    expect(await ask(`ZCARD ${physicalIndex}`)).to.equal(1)
    await store.write([{ op: 'put', key: key('c'), value: 1 }])
    expect(await ask(`EXISTS ${physicalIndex}`)).to.equal(0)
    await store.take(key('c'))
    expect(await ask('DBSIZE')).to.equal(0)
  })

  it('expires by itself, a minute after its instant', async () => {
    const expiresAt = Date.now() + MINUTE_MS
    await put('a', expiresAt)
    await store.hit(recordKey('i', 'counter', 'a'), MINUTE_MS)
    await store.write([{ op: 'check', key: key('a') }], { id: 'x'.repeat(22) })
    await store.health()
    const keys = ['{i}:thing:a', physicalIndex, '{i}:#count:counter:a']
    for (const name of keys) {
      expect(await ask(`PTTL ${name}`), name).to.be.within(MINUTE_MS + 50_000, 2 * MINUTE_MS)
    }
    for (const name of [`{i}:#answer:${'x'.repeat(22)}`, '{svc}:#health']) {
      expect(await ask(`PTTL ${name}`), name).to.be.within(50_000, MINUTE_MS)
    }
    expect(await ask('DBSIZE')).to.equal(5)
  })

  it('keeps an index as long as its longest-lived record', async () => {
    const now = Date.now()
    await put('long', now + 10 * MINUTE_MS)
    await put('short', now + MINUTE_MS)
    expect(await ask(`PTTL ${physicalIndex}`)).to.be.greaterThan(10 * MINUTE_MS)
    await store.write([{ op: 'touch', key: key('short'), expiresAt: now + 20 * MINUTE_MS }])
    expect(await ask(`PTTL ${physicalIndex}`)).to.be.greaterThan(20 * MINUTE_MS)
    await put('forever')
    expect(await ask(`PTTL ${physicalIndex}`)).to.equal(-1)
  })

  it('loses members of expired records while new ones come, though nobody lists', async () => {
    for (let n = 0; n < 300; n++) {
      await put(`a-${n}`)
      // As if Redis had expired it.
      await sendToRedis(server().port, `DEL {i}:thing:a-${n}`)
    }
    expect(await ask(`ZCARD ${physicalIndex}`)).to.be.lessThan(30)
  })

  it('loses members of expired records when it is listed', async () => {
    for (const id of ['a', 'b', 'c']) await put(id)
    await sendToRedis(server().port, 'DEL {i}:thing:a {i}:thing:b')
    expect((await store.list(index)).records.map((record) => record.key)).to.deep.equal([key('c')])
    expect(await ask(`ZCARD ${physicalIndex}`)).to.equal(1)
  })

  it('is no BullMQ in the process until something is scheduled', async () => {
    const child = startChild('contract/loads-bullmq-process.ts', server().url)
    expect(await child.line('before')).to.equal('before false')
    expect(await child.line('after')).to.equal('after true')
    expect(await child.end()).to.equal(0)
  })
})

describe('redisStore on a Redis that may lose writes', () => {
  const server = redisForSuite(['--appendonly', 'no', '--maxmemory-policy', 'allkeys-lru'])

  it('warns of appendonly off and of eviction, once each', async () => {
    const events: unknown[] = []
    const warn = (fields: Readonly<Record<string, unknown>>) => events.push(fields['event'])
    const store = redisStore({ url: server().url, log: { warn, error: () => {} } })
    await eventually(() => events.length === 2)
    await store.close()
    expect(events).to.deep.equal(['store.appendonly_off', 'store.eviction_on'])
  })
})
