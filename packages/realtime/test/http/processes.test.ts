import { type Json, systemClock } from '@svc/store'
import { redisStore } from '@svc/store/redis'
import { type RedisServer, startRedisServer } from '@svc/store/testing'
import { afterTest, needsRedis, scaledLimit } from '@svc/testkit'
import { expect } from 'chai'
import { beforeEach, describe, it } from 'mocha'
import { type RealtimeServer, startRealtime } from '../support/realtime-server.ts'
import type { SocketClient } from '../support/socket-client.ts'
import { until } from '../support/until.ts'

describe('events between processes', () => {
  let redis: RedisServer
  let here: RealtimeServer
  let there: RealtimeServer
  let client: SocketClient

  beforeEach(async function () {
    needsRedis(this)
    redis = await startRedisServer()
    here = await start()
    there = await start({ sameAs: here })
    client = await there.connectApp()
    await client.follow('io.svc.files')
    afterTest(() => redis.stop())
  })

  /** A process, closed after the test. */
  async function start(
    options: Omit<Parameters<typeof startRealtime>[0], 'store'> = {},
  ): Promise<RealtimeServer> {
    const store = redisStore({ url: redis.url })
    const server = await startRealtime({ ...options, store })
    afterTest(async () => {
      await server.close()
      await store.close()
    })
    return server
  }

  const channel = (): string => `rt:${here.alice.id}`
  const messages = async (): Promise<readonly unknown[]> => client.settled()
  /** Through the bus and back: what was published before has arrived. */
  async function passed(): Promise<void> {
    const seen = new Promise<void>((resolve) => {
      void there.store.bus
        .subscribe('passed', () => resolve())
        .then(async () => {
          await here.store.bus.publish('passed', null)
        })
    })
    await seen
  }

  it('arrive in the order of one publisher, once, with their document', async () => {
    const local = await here.connectApp()
    await local.follow('io.svc.files')
    const events = Array.from({ length: 100 }, (_, i) => ({ type: 'io.svc.files', id: `${i}` }))
    for (const event of events) {
      await here.realtime.publish(here.alice, 'CREATED', { ...event, doc: { a: event.id } })
    }
    await passed()
    const expected = events.map(({ type, id }) => ({
      event: 'CREATED',
      payload: { type, id, doc: { a: id } },
    }))
    expect(await messages()).to.deep.equal(expected)
    expect(await local.settled()).to.deep.equal(expected)
  })

  it('have the form of realtime.md 7.3', async () => {
    const seen: Json[] = []
    await there.store.bus.subscribe(channel(), (message) => seen.push(message))
    const event = { type: 'io.svc.files', id: 'one', doc: { a: 1 } }
    await here.realtime.publish(here.alice, 'UPDATED', event)
    await here.realtime.publish(here.alice, 'DELETED', { type: 'io.svc.files', id: 'one' })
    await passed()
    const [first, second] = seen as Record<string, unknown>[]
    expect(first).to.have.all.keys('v', 'o', 'n', 'i', 'e', 't', 'd', 'doc')
    expect(first).to.deep.include({ v: 1, i: here.alice.id, e: 'UPDATED', t: 'io.svc.files' })
    expect(first).to.deep.include({ d: 'one', doc: { a: 1 } })
    expect(second).to.have.all.keys('v', 'o', 'n', 'i', 'e', 't', 'd')
    expect(second?.['o']).to.equal(first?.['o'])
    expect(second?.['n']).to.not.equal(first?.['n'])
  })

  it('that are malformed are dropped and logged by their size, and repeated ones are dropped', async () => {
    const good = {
      v: 1,
      o: 'x',
      n: 'one',
      i: here.alice.id,
      e: 'CREATED',
      t: 'io.svc.files',
      d: 'a',
    }
    const { i: _, ...nowhere } = good
    const secret = 'secret-of-somebody'
    const bad: Json[] = [
      secret,
      null,
      [good],
      { ...good, v: 2 },
      { ...good, e: 'error' },
      { ...good, o: 7 },
      { ...good, n: 7 },
      { ...good, t: 7 },
      { ...good, d: 7 },
      { ...good, doc: 'x' },
      { ...good, i: here.bob.id },
      nowhere,
    ]
    for (const message of [...bad, good, good, { ...good, n: 'two', d: 'b' }]) {
      await here.store.bus.publish(channel(), message)
    }
    await passed()
    const received = (await messages()) as { payload: { id: string } }[]
    expect(received.map(({ payload }) => payload.id)).to.deep.equal(['a', 'b'])
    const logged = there.logged.filter((line) => line.includes('realtime.message_malformed'))
    expect(logged).to.have.lengthOf(bad.length)
    expect(logged[0]).to.equal(`warn realtime.message_malformed {"type":"string","size":20}`)
    expect(logged.join()).to.not.include(secret)
  })

  it('are listened to by instance, until some time after the last subscriber', async () => {
    const lifetimes = { idleChannel: 50 }
    there = await start({ sameAs: here, realtime: { lifetimes } })
    expect(there.realtime.stats().channels).to.equal(0)
    client = await there.connectApp()
    expect(there.realtime.stats().channels).to.equal(0)
    await client.follow('io.svc.files')
    expect(there.realtime.stats().channels).to.equal(1)
    client.raw.close()
    await until(() => there.realtime.stats().connections === 0)
    await until(() => there.realtime.stats().channels === 0)
    client = await there.connectApp()
    await client.follow('io.svc.files')
    await here.tell('again')
    expect(await client.next()).to.have.nested.property('payload.id', 'again')
  })

  it('may share one channel by option', async () => {
    const realtime = { channels: 'global' } as const
    here = await start({ sameAs: here, realtime })
    there = await start({ sameAs: here, realtime })
    client = await there.connectApp()
    await client.follow('io.svc.files')
    await here.realtime.publish(here.bob, 'CREATED', { type: 'io.svc.files', id: 'of bob' })
    await here.tell('one')
    expect(await client.next()).to.have.nested.property('payload.id', 'one')
  })

  describe('while Redis is away', () => {
    it('still reach the subscribers of their own process, within the time of a publish', async () => {
      redis.pause()
      const startedAt = systemClock.now()
      const told = there.tell('one')
      expect(await client.next()).to.have.nested.property('payload.id', 'one')
      await told
      expect(systemClock.now() - startedAt).to.be.below(scaledLimit(3000))
      redis.resume()
    })

    it('are lost, then arrive again, and tokens are looked at again after the gap', async () => {
      const doomed = await there.client('io.svc.files')
      const other = await there.connect()
      other.send({ method: 'AUTH', payload: doomed.token })
      await other.settled()
      await redis.kill()
      there.live.delete('tab')
      await redis.restart()
      expect(await client.closed).to.deep.equal({ code: 1008, reason: 'session closed' })
      expect(await other.follow('io.svc.files')).to.deep.equal([])
      await until(() =>
        here.store.health().then(
          () => true,
          () => false,
        ),
      )
      await here.tell('late')
      expect(await other.next()).to.have.nested.property('payload.id', 'late')
    })
  })
})
