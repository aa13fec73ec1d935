import { once } from 'node:events'
import { timeBudget, scaledLimit } from '@svc/testkit'
import { expect } from 'chai'
import { describe, it } from 'mocha'
import { type RealtimeServer, testRealtime } from '../support/realtime-server.ts'
import { type SocketClient, UNAUTHORIZED } from '../support/socket-client.ts'
import { until } from '../support/until.ts'

/** A lifetime of tokens, which is in seconds, that a slow machine can keep up with. */
function wholeSeconds(ms: number): number {
  return Math.ceil(scaledLimit(ms) / 1000) * 1000
}

describe('time', () => {
  let server: RealtimeServer

  type Options = NonNullable<Parameters<typeof testRealtime>[0]>
  async function start(
    realtime: Options['realtime'] = {},
    oauth: Options['oauth'] = {},
  ): Promise<void> {
    server = await testRealtime({ realtime, oauth })
  }

  it('without AUTH ends in a 401 error and 1008', async () => {
    await start({ lifetimes: { auth: 50 } })
    const client = await server.connect()
    expect(await client.next()).to.deep.equal(UNAUTHORIZED)
    expect(await client.closed).to.deep.equal({ code: 1008, reason: 'authentication timeout' })
  })

  it('of a token ends in a 401 error and 1008', async () => {
    await start({}, { lifetimes: { accessTokenMs: wholeSeconds(2000) } })
    const client = await server.connectApp()
    expect(await client.follow('io.svc.files')).to.deep.equal([])
    expect(await client.next()).to.deep.equal(UNAUTHORIZED)
    expect(await client.closed).to.deep.equal({ code: 1008, reason: 'token expired' })
  })

  it('of a token begins anew with another AUTH', async () => {
    const accessTokenMs = wholeSeconds(3000)
    await start({}, { lifetimes: { accessTokenMs } })
    const client = await server.connectApp()
    const other = await server.connectApp()
    await client.settled()
    // Tokens end at whole seconds: this one ends later than that of the other.
    const end = performance.now() + accessTokenMs / 3 + 100
    await until(() => performance.now() > end)
    client.send({ method: 'AUTH', payload: await server.appToken() })
    expect(await client.settled()).to.deep.equal([])
    expect(await other.closed).to.deep.equal({ code: 1008, reason: 'token expired' })
    expect(await client.settled()).to.deep.equal([])
  })

  it('between pings is as long as said, and clients that answer stay', async () => {
    const lifetimes = { ping: 50, pong: scaledLimit(900) }
    await start({ lifetimes })
    const client = await server.connectApp()
    let pings = 0
    client.raw.on('ping', () => {
      pings += 1
    })
    // For longer than the first pong may take.
    await until(() => pings * lifetimes.ping > 2 * lifetimes.pong)
    expect(await client.settled()).to.deep.equal([])
  })

  it('without a pong ends the connection, however much is sent', async () => {
    await start({ lifetimes: { ping: 20, pong: 100 }, limits: { messages: 1_000_000 } })
    const client = await server.connect({ autoPong: false, headers: { cookie: 'session=tab' } })
    client.send({ method: 'AUTH', payload: await server.appToken() })
    const chatter = setInterval(() => client.send({ method: 'ping' }), 10)
    expect(await client.closed).to.deep.equal({ code: 1006, reason: '' })
    clearInterval(chatter)
    await until(() => server.realtime.stats().tracked === 0)
  })

  it('of a session that ends by itself is noticed with the next ping', async () => {
    await start({ lifetimes: { ping: 20 } })
    const client = await server.connectApp()
    // One that said nothing yet has no session to end.
    const silent = await server.connect()
    await once(silent.raw, 'ping')
    server.live.clear()
    expect(await client.closed).to.deep.equal({ code: 1008, reason: 'session closed' })
    await once(silent.raw, 'ping')
  })

  it('of the store being away does not end connections', async () => {
    await start({ lifetimes: { ping: 20 } })
    const client = await server.connectApp()
    let pings = 0
    client.raw.on('ping', () => {
      pings += 1
    })
    server.live.has = () => {
      throw new Error('away')
    }
    await until(() => pings > 5)
    expect(await client.settled()).to.deep.equal([])
  })

  describe('at the end of the server', () => {
    it('is another one for each connection, within what is said', async () => {
      await start({ lifetimes: { shutdown: 400 } })
      const clients = await Promise.all(Array.from({ length: 8 }, () => server.connect()))
      const startedAt = performance.now()
      const ends = clients.map(async ({ closed }) => {
        expect(await closed).to.deep.equal({ code: 1001, reason: 'server shutdown' })
        return performance.now() - startedAt
      })
      await server.realtime.close()
      const times = await Promise.all(ends)
      expect(Math.max(...times) - Math.min(...times)).to.be.above(20)
      expect(performance.now() - startedAt).to.be.below(400 + timeBudget(1000))
    })

    it('does not wait for a client that does not answer', async () => {
      await start()
      const client = await server.connectApp()
      client.raw.pause()
      await server.realtime.close()
      expect(server.realtime.stats()).to.include({ connections: 0, tracked: 0 })
    })

    it('still ends connections that are revoked meanwhile', async () => {
      await start({ lifetimes: { shutdown: 5000 } })
      const client = await server.connectApp()
      const closing = server.realtime.close()
      await server.oauth.revoked(server.alice, 'session', ['tab'])
      expect(await client.closed).to.deep.equal({ code: 1008, reason: 'session closed' })
      await closing
    })
  })

  describe('of a slow reader', () => {
    const doc = { text: 'x'.repeat(60_000) }
    async function pausedReader(): Promise<SocketClient> {
      const slow = await server.connectApp()
      await slow.follow('io.svc.files')
      slow.raw.pause()
      return slow
    }

    it('is bounded, and others get everything', async () => {
      await start({
        lifetimes: { slow: scaledLimit(150) },
        limits: { maxUnsentBytes: 900_000_000 },
      })
      const slow = await pausedReader()
      const healthy = await server.connectApp()
      await healthy.follow('io.svc.files')
      let sent = 0
      let received = 0
      healthy.raw.on('message', () => {
        received += 1
      })
      const isKept = (): boolean => server.realtime.stats().subscriptions === 2
      const send = async (): Promise<void> => {
        await server.tell(`${sent}`, doc)
        sent += 1
        await until(() => received === sent)
      }
      // 24 MB are more than the system takes for a reader; the time for being behind runs without further events.
      while (isKept() && sent < 400) await send()
      await until(() => !isKept())
      expect(sent).to.be.above(17)
      await send()
      slow.raw.resume()
      expect(await slow.closed).to.deep.equal({ code: 1013, reason: 'too slow' })
      expect(received).to.equal(sent)
    })

    it('ends at once above 8 MiB', async () => {
      await start()
      const slow = await pausedReader()
      let sent = 0
      while (server.realtime.stats().subscriptions === 1 && sent < 1000) {
        void server.tell(`${sent}`, doc)
        sent += 1
      }
      expect(sent).to.be.above(140).and.below(1000)
      slow.raw.resume()
      expect(await slow.closed).to.deep.equal({ code: 1013, reason: 'too slow' })
    })

    it('that takes nothing at all ends with the write timeout', async () => {
      await start({ lifetimes: { write: 100, slow: 60_000 } })
      await pausedReader()
      for (let i = 0; i < 90; i += 1) {
        void server.tell(`${i}`, doc)
      }
      await until(() => server.realtime.stats().connections === 0)
    })

    it('is not that of a healthy one that gets a burst in one tick', async () => {
      await start({ lifetimes: { slow: 0 } })
      const client = await server.connectApp()
      await client.follow('io.svc.files')
      for (let i = 0; i < 1000; i += 1) {
        void server.tell(`${i}`)
      }
      expect(await client.settled()).to.have.lengthOf(1000)
    })
  })
})
