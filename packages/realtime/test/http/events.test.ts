import { expect } from 'chai'
import { beforeEach, describe, it } from 'mocha'
import { NOTHING_OPEN, type RealtimeServer, testRealtime } from '../support/realtime-server.ts'
import type { SocketClient } from '../support/socket-client.ts'
import { until } from '../support/until.ts'

const STATE = 'a "state" of <somebody>'

describe('events', () => {
  let server: RealtimeServer
  let client: SocketClient

  beforeEach(async () => {
    server = await testRealtime()
    client = await server.connectApp()
  })

  const publish: RealtimeServer['realtime']['publish'] = (...event) =>
    server.realtime.publish(...event)

  it('tell of a confirmation exactly so, with the state and no code', async () => {
    await client.follow('io.svc.auth.confirmations')
    const event = { type: 'io.svc.auth.confirmations', id: STATE, doc: { _id: STATE } }
    await publish(server.alice, 'CREATED', event)
    expect(await client.next()).to.deep.equal({
      event: 'CREATED',
      payload: { id: STATE, type: 'io.svc.auth.confirmations', doc: { _id: STATE } },
    })
  })

  it('are told before publish resolves, in the order of the calls', async () => {
    await client.follow('io.svc.files')
    const told: Promise<void>[] = []
    for (let i = 0; i < 300; i += 1) {
      told.push(publish(server.alice, 'UPDATED', { type: 'io.svc.files', id: `${i}` }))
    }
    await Promise.all(told)
    const received = (await client.settled()) as { payload: { id: string } }[]
    expect(received.map(({ payload }) => payload.id)).to.deep.equal(
      Array.from({ length: 300 }, (_, i) => `${i}`),
    )
  })

  it('come once, whatever covers them, with every verb and without what is not there', async () => {
    client.subscribe('io.svc.files')
    client.subscribe('io.svc.files')
    await client.follow('io.svc.files', 'one')
    for (const verb of ['CREATED', 'UPDATED', 'DELETED', 'NOTIFIED'] as const) {
      await publish(server.alice, verb, { type: 'io.svc.files', id: 'one' })
    }
    expect(await client.settled()).to.deep.equal(
      ['CREATED', 'UPDATED', 'DELETED', 'NOTIFIED'].map((event) => ({
        event,
        payload: { type: 'io.svc.files', id: 'one' },
      })),
    )
  })

  it('come of what is subscribed alone, of this instance alone', async () => {
    await client.follow('io.svc.files', 'one')
    await server.tell('two')
    await publish(server.alice, 'CREATED', { type: 'io.svc.files.versions', id: 'one' })
    await publish(server.bob, 'CREATED', { type: 'io.svc.files', id: 'one' })
    await publish(server.alice, 'CREATED', { type: 'io.svc.notes', id: 'one' })
    expect(await client.settled()).to.deep.equal([])
  })

  it('stop with UNSUBSCRIBE: of a type with all its ids, of an id alone', async () => {
    const one = { type: 'io.svc.files', id: 'one' }
    const two = { type: 'io.svc.files', id: 'two' }
    async function received(): Promise<number> {
      await publish(server.alice, 'CREATED', one)
      await publish(server.alice, 'CREATED', two)
      return (await client.settled()).length
    }
    client.subscribe('io.svc.files', 'one')
    await client.follow('io.svc.files', 'two')
    expect(await received()).to.equal(2)
    client.send({ method: 'UNSUBSCRIBE', payload: one })
    await client.settled()
    expect(await received()).to.equal(1)
    client.subscribe('io.svc.files')
    client.send({ method: 'UNSUBSCRIBE', payload: two })
    await client.settled()
    expect(await received()).to.equal(2)
    client.send({ method: 'unsubscribe', payload: { type: 'io.svc.files', id: '' } })
    client.send({ method: 'UNSUBSCRIBE', payload: { type: 'io.svc.never' } })
    expect(await client.settled()).to.deep.equal([])
    expect(await received()).to.equal(0)
    expect(server.realtime.stats()).to.include({ subscriptions: 0, topics: 0 })
  })

  it('carry their document up to 64 KiB, and go without it above', async () => {
    await client.follow('io.svc.files')
    // Two bytes of one character.
    const text = `x${'é'.repeat((65_536 - '{"text":"x"}'.length) / 2)}`
    const docs = [{ text }, { text: `${text}x` }]
    for (const doc of docs) await server.tell('one', doc)
    const received = (await client.settled()) as { payload: { doc?: unknown } }[]
    expect(received.map(({ payload }) => payload.doc)).to.deep.equal([docs[0], undefined])
  })

  it('that are malformed are logged and told to nobody', async () => {
    await client.follow('io.svc.files')
    const circular: Record<string, unknown> = {}
    circular['self'] = circular
    const malformed = [
      { type: 'io.svc.files', id: '' },
      { type: 'io.svc.files', id: 'x'.repeat(257) },
      { type: '*', id: 'one' },
      { type: 'io.svc.files', id: 'one', doc: circular },
      { type: 'io.svc.files', id: 'one', doc: { big: 1n } },
      { type: 'io.svc.files', id: 'one', doc: [1] as never }, // Callers without types exist.
    ]
    for (const event of malformed) await publish(server.alice, 'CREATED', event)
    await publish(server.alice, 'error' as never, { type: 'io.svc.files', id: 'one' })
    expect(await client.settled()).to.deep.equal([])
    const dropped = server.logged.filter((line) => line.includes('realtime.event_dropped'))
    expect(dropped).to.have.lengthOf(malformed.length + 1)
  })

  it('are heard by the host too, until it ends that', async () => {
    const heard: unknown[] = []
    server.realtime.onLocalEvent(() => {
      throw new Error('a handler of the test')
    })
    const end = server.realtime.onLocalEvent((event) => heard.push(event))
    await server.tell('one', { a: 1 })
    end()
    await server.tell('two')
    expect(heard).to.deep.equal([
      {
        instanceId: server.alice.id,
        verb: 'CREATED',
        type: 'io.svc.files',
        id: 'one',
        doc: { a: 1 },
      },
    ])
  })

  it('leave no trace of a connection that closed', async () => {
    client.subscribe('io.svc.files')
    await client.follow('io.svc.notes', 'one')
    const second = await server.connectApp()
    await second.follow('io.svc.files')
    expect(server.realtime.stats()).to.include({ connections: 2, subscriptions: 3, topics: 2 })
    client.raw.close()
    await client.closed
    await until(() => server.realtime.stats().connections === 1)
    expect(server.realtime.stats()).to.include({ connections: 1, subscriptions: 1, topics: 1 })
    second.terminate()
    await second.closed
    const gone = await server.connect()
    gone.raw.close()
    await gone.closed
    await server.realtime.close()
    expect(server.realtime.stats()).to.deep.equal(NOTHING_OPEN)
  })

  it('may need the permission of another type, or none, or be refused, by option', async () => {
    server = await testRealtime({
      sameAs: server,
      realtime: {
        aliases: { 'io.svc.thumbnails': 'io.svc.files', 'io.svc.files': 'io.svc.photos' },
        freeTypes: ['io.svc.jobs.done'],
        reservedTypes: ['io.svc.bank.secrets'],
      },
    })
    client = await server.connectApp()
    client.subscribe('io.svc.thumbnails', 'one')
    expect(await client.follow('io.svc.jobs.done')).to.deep.equal([])
    for (const type of ['io.svc.files', 'io.svc.bank.secrets']) {
      client.subscribe(type)
      expect(await client.next()).to.have.nested.property('payload.status', '403 Forbidden')
    }
    await publish(server.alice, 'CREATED', { type: 'io.svc.thumbnails', id: 'one' })
    expect(await client.settled()).to.have.lengthOf(1)
  })
})
