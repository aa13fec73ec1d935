import { expect } from 'chai'
import { scaledLimit } from '../../../testkit/src/time-budget.ts'
import { eventually } from '../../src/contract/suite.ts'
import { indexKey, recordKey, type Store, StoreUnavailableError } from '../../src/index.ts'
import { redisStore } from '../../src/redis/index.ts'
import {
  type BlackHole,
  hasRedisServer,
  type RedisServer,
  sendToRedis,
  startBlackHole,
  startRedisServer,
} from '../../src/testing/index.ts'
import { skipUnless } from '../skip-unless.ts'
import { type Call, CALLS, key } from './calls.ts'
import { untilHealthy } from './until-healthy.ts'

const ANSWER_MS = scaledLimit(3000)
const RECOVERY_MS = scaledLimit(5000)

const EVERY_CALL: Readonly<Record<string, Call>> = {
  ...CALLS,
  getMany: (store) => store.getMany([key]),
  'write of a new record': (store) =>
    store.write([{ op: 'put', key: recordKey('i', 'thing', crypto.randomUUID()), value: 1 }]),
  take: (store) => store.take(recordKey('i', 'thing', 'none')),
  list: (store) => store.list(indexKey('i', 'all')),
  'scheduler.at': (store) => store.scheduler.at('q', 'a', Date.now() + 3_600_000),
  'scheduler.cancel': (store) => store.scheduler.cancel('q', 'b'),
}

describe('Redis that', function () {
  this.timeout(30_000)
  let server: RedisServer
  let proxy: BlackHole
  let store: Store

  before(function () {
    skipUnless(this, hasRedisServer(), 'redis-server is not installed')
  })
  beforeEach(async () => {
    server = await startRedisServer()
    proxy = await startBlackHole(server.port)
    store = redisStore({ url: `redis://127.0.0.1:${proxy.port}` })
    await allAnswer()
  })
  afterEach(async () => {
    await store?.close()
    await proxy?.stop()
    await server?.stop()
  })

  const TROUBLES: readonly [name: string, begin: () => unknown, end: () => unknown][] = [
    ['is down', () => server.kill(), () => server.restart()],
    ['stands still', () => server.pause(), () => server.resume()],
    ['never answers', () => proxy.swallow(), () => proxy.pass()],
  ]
  for (const [name, begin, end] of TROUBLES) {
    it(`${name}: every call fails within 3 s, and works within 5 s after`, async () => {
      await begin()
      await allFail()
      // Again, when the loss of the connection is known.
      await allFail()
      await end()
      expect(await untilHealthy(store)).to.be.lessThan(RECOVERY_MS)
      await allAnswer()
    })
  }

  it('never answers: calls fail sooner where commands may take less time', async () => {
    const commandTimeoutMs = scaledLimit(200)
    const hasty = redisStore({ url: `redis://127.0.0.1:${proxy.port}`, commandTimeoutMs })
    try {
      await hasty.health()
      proxy.swallow()
      const start = performance.now()
      await expectUnavailable('get', EVERY_CALL['get']?.(hasty))
      expect(performance.now() - start).to.be.within(commandTimeoutMs - 10, scaledLimit(1500))
    } finally {
      await hasty.close()
    }
  })

  it('is not there yet: calls fail within 3 s, and work when it is', async () => {
    await server.kill()
    const early = redisStore({ url: server.url })
    try {
      await allFail(early)
      await server.restart()
      expect(await untilHealthy(early)).to.be.lessThan(RECOVERY_MS)
    } finally {
      await early.close()
    }
  })

  it('forgot its scripts: nothing is noticed', async () => {
    await sendToRedis(server.port, 'SCRIPT FLUSH SYNC')
    await allAnswer()
  })

  const changes = ['write', 'hit', 'health'] as const
  for (const [name, begin, end, writes] of [
    [
      'is full',
      'CONFIG SET maxmemory 1',
      'CONFIG SET maxmemory 0',
      // What ends access, and what limits count, is taken all the same (test/faults/full-redis).
      ['write of a new record', 'scheduler.at', 'health'],
    ],
    ['is a replica now', 'REPLICAOF 127.0.0.1 1', 'REPLICAOF NO ONE', changes],
    [
      'lacks replicas',
      'CONFIG SET min-replicas-to-write 1',
      'CONFIG SET min-replicas-to-write 0',
      changes,
    ],
  ] as const) {
    it(`${name}: writes are unavailable, nothing is half done`, async () => {
      await sendToRedis(server.port, begin)
      for (const call of writes) await expectUnavailable(call, EVERY_CALL[call]?.(store))
      await sendToRedis(server.port, end)
      expect(await untilHealthy(store)).to.be.lessThan(RECOVERY_MS)
      await allAnswer()
    })
  }

  it('loses the answer: a write with an id is repeated and happens once', async () => {
    const before = await store.write([{ op: 'put', key, value: 0 }])
    if (!before.written) throw new Error('not written')
    proxy.cutNextAnswer()
    const change = { op: 'put', key, value: 1, ifRevision: before.revision } as const
    const result = await store.write([change], { id: crypto.randomUUID() })
    expect(result.written).to.equal(true)
    expect((await store.get(key))?.value).to.equal(1)
  })

  it('loses the answer: a write without an id and a take are unknown, not refused', async () => {
    for (const call of ['write', 'take'] as const) {
      proxy.cutNextAnswer()
      await expectUnavailable(call, EVERY_CALL[call]?.(store))
      await untilHealthy(store)
    }
  })

  it('was away: subscribers are told of the gap, and hear again', async () => {
    const heard: unknown[] = []
    let gaps = 0
    await store.bus.subscribe('channel', (message) => heard.push(message))
    const stopTelling = store.bus.onGap(() => gaps++)
    const other = redisStore({ url: server.url })
    try {
      await server.kill()
      await store.bus.publish('channel', 'within the process')
      await server.restart()
      await eventually(() => gaps === 1)
      await untilHealthy(other)
      await other.bus.publish('channel', 'from another')
      await eventually(() => heard.length === 2)
      expect(heard).to.deep.equal(['within the process', 'from another'])
      stopTelling()
    } finally {
      await other.close()
    }
  })

  it('went silent: subscribers are told of the gap when it answers again', async () => {
    let gaps = 0
    await store.bus.subscribe('channel', () => {})
    store.bus.onGap(() => gaps++)
    proxy.swallow()
    await allFail()
    proxy.pass()
    await eventually(() => gaps === 1)
  })

  async function allAnswer(): Promise<void> {
    await Promise.all(Object.values(EVERY_CALL).map((call) => call(store)))
  }

  async function allFail(subject = store): Promise<void> {
    const calls = Object.entries(EVERY_CALL)
    await Promise.all(calls.map(([name, call]) => expectUnavailable(name, call(subject))))
  }
})

async function expectUnavailable(name: string, call: Promise<unknown> | undefined): Promise<void> {
  const start = performance.now()
  const outcome = await call?.then(
    () => 'an answer',
    (error: unknown) => error,
  )
  expect(outcome, name).to.be.instanceOf(StoreUnavailableError)
  expect(performance.now() - start, name).to.be.lessThan(ANSWER_MS)
}
