import { fakeClock } from '@svc/testkit'
import { expect } from 'chai'
import { beforeEach, describe, it } from 'mocha'
import { rawSocket, upgradeHeaders } from '../support/raw-socket.ts'
import { NOTHING_OPEN, type RealtimeServer, testRealtime } from '../support/realtime-server.ts'
import { refusal, type SocketClient } from '../support/socket-client.ts'

describe('GET /realtime/', () => {
  let server: RealtimeServer

  beforeEach(async () => {
    server = await testRealtime()
  })

  async function restart(options: Parameters<typeof testRealtime>[0]): Promise<void> {
    server = await testRealtime({ sameAs: server, ...options })
  }

  it('answers 101 with and without the slash', async () => {
    for (const path of ['/realtime/', '/realtime', '/realtime/?token=x']) {
      const client = await server.connect({ path })
      expect(client.raw.readyState).to.equal(1)
      expect(client.raw.extensions).to.equal('')
    }
  })

  it('answers 101 to version 8, and never agrees to compression', async () => {
    const extensions = 'Sec-WebSocket-Extensions: permessage-deflate'
    const headers = upgradeHeaders('Sec-WebSocket-Version: 8', extensions)
    const raw = await rawSocket(server.port, { headers })
    expect(raw.status).to.equal('HTTP/1.1 101 Switching Protocols')
    expect(raw.head).to.not.match(/extensions/i)
    raw.socket.destroy()
  })

  const offers: readonly (readonly [readonly string[], string])[] = [
    [[], ''],
    [['io.svc.websocket'], 'io.svc.websocket'],
    [['io.cozy.websocket'], 'io.cozy.websocket'],
    [['other', 'io.svc.websocket'], 'io.svc.websocket'],
    [['io.cozy.websocket', 'io.svc.websocket'], 'io.cozy.websocket'],
  ]
  for (const [protocols, chosen] of offers) {
    it(`chooses "${chosen}" of [${protocols.join(', ')}]`, async () => {
      const client = await server.connect({ protocols })
      expect(client.raw.protocol).to.equal(chosen)
    })
  }

  it('accepts other subprotocols without agreeing to one', async () => {
    const headers = upgradeHeaders('Sec-WebSocket-Protocol: other, another')
    const raw = await rawSocket(server.port, { headers })
    expect(raw.status).to.equal('HTTP/1.1 101 Switching Protocols')
    expect(raw.head).to.not.match(/protocol:/i)
    raw.socket.destroy()
  })

  it('is served on an alias', async () => {
    const client = await server.connect({
      host: 'alias.example.com',
      headers: { cookie: 'session=tab' },
    })
    client.send({ method: 'AUTH', payload: await server.appToken() })
    expect(await client.settled()).to.deep.equal([])
  })

  it('answers 404 on unknown hosts and on hosts of apps, as JSON', async () => {
    for (const host of ['nobody.example.com', 'drive.alice.example.com']) {
      const { status, body, headers } = await refusal(server.connect({ host }))
      expect([status, JSON.parse(body)], host).to.deep.equal([
        404,
        { error: 'not found', code: 'not_found' },
      ])
      expect(headers).to.include({
        connection: 'close',
        'content-type': 'application/json; charset=utf-8',
        'x-content-type-options': 'nosniff',
      })
    }
  })

  it('answers 503 for a blocked instance, as the JSON routes do', async () => {
    await server.oauth.instances.update(server.alice.id, { status: 'blocked' })
    const { status, body } = await refusal(server.connect())
    const page = await server.browser({ accept: 'application/json' }).get('/auth/authorize')
    expect([status, JSON.parse(body)]).to.deep.equal([503, page.json()])
  })

  it('answers 404 for an instance that is gone', async () => {
    await server.oauth.instances.remove(server.alice.id)
    expect((await refusal(server.connect())).status).to.equal(404)
  })

  it('answers 403 to other origins where some are named', async () => {
    await restart({ realtime: { allowedOrigins: ['https://drive.alice.example.com'] } })
    const headers = (origin: string): { origin: string } => ({ origin })
    await server.connect({ headers: headers('https://drive.alice.example.com') })
    await server.connect()
    const refused = await refusal(server.connect({ headers: headers('https://evil.example') }))
    expect([refused.status, JSON.parse(refused.body).code]).to.deep.equal([403, 'cross_origin'])
  })

  const malformed: readonly (readonly [string, readonly string[]])[] = [
    ['no key', upgradeHeaders().filter((line) => !line.startsWith('Sec-WebSocket-Key'))],
    ['a short key', upgradeHeaders('Sec-WebSocket-Key: abc')],
    ['no version', upgradeHeaders().filter((line) => !line.startsWith('Sec-WebSocket-Version'))],
    ['version 12', upgradeHeaders('Sec-WebSocket-Version: 12')],
    ['another protocol', upgradeHeaders('Upgrade: h2c')],
  ]
  for (const [what, headers] of malformed) {
    it(`answers 400 for ${what}`, async () => {
      const raw = await rawSocket(server.port, { headers })
      expect(raw.status).to.equal('HTTP/1.1 400 Bad Request')
      expect(raw.head).to.match(/^connection: close$/im)
      await raw.rest
    })
  }

  it('leaves other paths to other listeners, and answers 404 without one', async () => {
    const alone = await rawSocket(server.port, { path: '/other' })
    expect(alone.status).to.equal('HTTP/1.1 404 Not Found')
    expect((await alone.rest).length).to.equal(0)
    const paths: (string | undefined)[] = []
    server.server.server.on('upgrade', (request, socket) => {
      paths.push(request.url)
      if (request.url === '/other') socket.end('HTTP/1.1 418 Mine\r\n\r\n')
    })
    expect((await rawSocket(server.port, { path: '/other' })).status).to.equal('HTTP/1.1 418 Mine')
    await server.connect()
    expect(paths).to.deep.equal(['/other', '/realtime/'])
  })

  describe('over a limit', () => {
    async function expectLimit(): Promise<void> {
      const { status, headers, body } = await refusal(server.connect())
      expect([status, JSON.parse(body)]).to.deep.equal([429, { error: 'too_many_requests' }])
      expect(Number(headers['retry-after'])).to.be.within(1, 60)
    }
    async function connectApps(count: number): Promise<readonly SocketClient[]> {
      const clients: SocketClient[] = []
      while (clients.length < count) clients.push(await server.connectApp())
      return clients
    }

    it('answers 429 to the 11th connection of an address that did not authenticate', async () => {
      const clients = await Promise.all(Array.from({ length: 10 }, () => server.connect()))
      await expectLimit()
      clients[0]?.raw.close()
      await clients[0]?.closed
      await server.connect()
      await expectLimit()
    })

    it('answers 429 to the 51st connection of an address', async () => {
      const [first] = await connectApps(50)
      await expectLimit()
      first?.raw.close()
      await first?.closed
      await server.connect()
    })

    it('answers 429 to the 101st connection of an instance, and goes on for others', async () => {
      await restart({ realtime: { limits: { addressConnections: 1000 } } })
      await connectApps(100)
      await expectLimit()
      await server.connect({ host: 'bob.example.com' })
    })

    it('answers 429 after 20 failed AUTH of an address in a minute', async () => {
      const clock = fakeClock()
      server = await testRealtime({ clock })
      for (let i = 0; i < 20; i += 1) {
        const client = await server.connect()
        client.send({ method: 'AUTH', payload: 'wrong' })
        await client.closed
      }
      await expectLimit()
      clock.advance(60_001)
      await server.connect()
    })
  })

  it('answers 503 once the server ends, and closes open connections with 1001', async () => {
    const client = await server.connectApp()
    const closing = server.realtime.close()
    expect((await refusal(server.connect())).status).to.equal(503)
    expect(await client.closed).to.deep.equal({ code: 1001, reason: 'server shutdown' })
    await closing
    expect((await refusal(server.connect())).status, 'with nothing open any more').to.equal(503)
    expect(server.realtime.stats()).to.deep.equal(NOTHING_OPEN)
  })
})
