import { AsyncLocalStorage } from 'node:async_hooks'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { until } from '@svc/testkit'
import { expect } from 'chai'
import { type LimitedServer, startLimited } from '../support/limited-server.ts'
import { get, openClient, post } from '../support/raw-client.ts'

describe('requests of one connection', () => {
  let limited: LimitedServer

  it('are handled one at a time, in their order', async () => {
    const waiting: ServerResponse[] = []
    const paths: string[] = []
    limited = await startLimited((request, response) => {
      paths.push(request.url ?? '')
      waiting.push(response)
    })
    const client = await limited.say(get('/1') + get('/2') + get('/3'))
    for (const path of ['/1', '/2', '/3']) {
      await until(() => paths.at(-1) === path)
      waiting.at(-1)?.end(path)
    }
    await until(() => client.statuses().length === 3)
    expect(paths).to.deep.equal(['/1', '/2', '/3'])
    expect(client.said()).to.match(/\/1HTTP[^]*\/2HTTP[^]*\/3$/)
  })

  it('wait up to 16 at a time, and all are answered', async () => {
    let handled = 0
    limited = await startLimited((_request, response) => {
      handled += 1
      response.end('x')
    })
    const client = await limited.say(get().repeat(17))
    await until(() => client.statuses().length === 17)
    client.send(get().repeat(17))
    await until(() => client.statuses().length === 34)
    expect(handled).to.equal(34)
    expect(limited.limits.figures().refused.pipeline).to.equal(0)
  })

  it('let first those have their turn who come while they wait', async () => {
    let handled = 0
    limited = await startLimited(async (request, response) => {
      if (request.url === '/late') {
        response.end(`after ${handled}`)
        return
      }
      handled += 1
      spin(0.2)
      await new Promise(setImmediate)
      spin(0.2)
      response.end('x')
    })
    const { port } = limited
    // The system takes their connections at once, the server one in each turn.
    const early = Array.from({ length: 150 }, async () => {
      const client = await openClient(port)
      client.send(get().repeat(16))
      return client
    })
    const clients = await Promise.all(early)
    const late = await openClient(port)
    late.send(get('/late'))
    await until(() => late.said().includes('after '))
    const before = Number(/after (\d+)/.exec(late.said())?.[1])
    expect(before).to.be.at.most(2 * clients.length)
    await until(() => handled === 16 * clients.length)
  })

  it('end the socket without an answer when more wait, and no handler hears of any', async () => {
    let handled = 0
    limited = await startLimited((_request, response) => {
      handled += 1
      setImmediate(() => response.end('x'))
    })
    const client = await limited.say(get().repeat(200))
    await until(() => client.socket.closed || client.socket.readableEnded)
    await until(() => limited.sockets.size === 0)
    expect(client.said()).to.equal('')
    expect(handled).to.equal(0)
    expect(limited.limits.figures().refused.pipeline).to.equal(1)
    expect(limited.log).to.deep.equal([
      { event: 'connection.refused', reason: 'pipeline', count: 1 },
    ])
  })

  it('cost nothing more once there were too many', async () => {
    limited = await startLimited((_request, response) => void response.end('x'))
    let parsed = 0
    const count = (): void => void (parsed += 1)
    subscribe('http.server.request.start', count)
    try {
      await limited.say(get().repeat(200))
      await until(() => limited.sockets.size === 0)
    } finally {
      unsubscribe('http.server.request.start', count)
    }
    expect(parsed).to.equal(18)
    // Parsers are used again: the next connection has one that is whole.
    for (let at = 0; at < 20; at += 1) {
      const client = await limited.say(get() + post('hello'))
      await until(() => client.statuses().length === 2)
      client.socket.destroy()
    }
  })

  it('are read no further while one waits', async () => {
    const waiting: ServerResponse[] = []
    limited = await startLimited((_request, response) => waiting.push(response))
    const client = await limited.say(get('/1') + get('/2'))
    await until(() => waiting.length === 1)
    // Whatever is sent from now on stays on its way: each alone would be read by itself.
    const length = get('/3').length
    const before = [...limited.sockets][0]?.bytesRead ?? 0
    for (let at = 0; at < 12; at += 1) {
      client.send(get('/3'))
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect([...limited.sockets][0]?.bytesRead).to.equal(before)
    for (let at = 0; at < 14; at += 1) {
      await until(() => waiting.length > at)
      waiting[at]?.end('x')
    }
    await until(() => client.statuses().length === 14)
    expect(client.socket.bytesWritten).to.equal(before + 12 * length)
  })

  it('do not have their bodies read before it is their turn', async () => {
    const answers: ServerResponse[] = []
    let received = 0
    limited = await startLimited((request, response) => {
      answers.push(response)
      request.on('data', (chunk: Buffer) => {
        received += chunk.length
      })
    })
    const body = 8_000_000
    const client = await limited.say(get('/first'))
    client.send(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${body}\r\n\r\n`)
    client.send(Buffer.alloc(body, 'x'))
    await until(() => answers.length === 1)
    const [socket] = limited.sockets
    let read = -1
    // What the system holds is not read: the figure stands still.
    await until(() => read === (read = socket?.bytesRead ?? 0), { limitMs: 2000 })
    expect(socket?.bytesRead).to.be.lessThan(200_000)
    expect(received).to.equal(0)
    answers[0]?.end('first')
    await until(() => received === body)
    answers[1]?.end('second')
    await until(() => client.statuses().length === 2)
  })

  it('are not handled while the answers before them are not taken', async () => {
    let handled = 0
    const answer = Buffer.alloc(8_000_000, 'x')
    limited = await startLimited((_request, response) => {
      handled += 1
      response.end(answer)
    })
    const client = await limited.join()
    client.stopReading()
    client.send(get().repeat(5))
    await until(() => handled === 1)
    const [socket] = limited.sockets
    await until(() => (socket?.writableLength ?? 0) > 0)
    // Somebody else is served meanwhile.
    const other = await limited.say(get())
    await until(() => other.said().length > 8_000_000)
    expect(handled).to.equal(2)
    client.socket.resume()
    await until(() => client.said().length > 40_000_000)
    expect(handled).to.equal(6)
  })

  it('end with the last one that a connection may have, which says so', async () => {
    limited = await startLimited((_request, response) => void response.end('x'), {
      requestsPerConnection: 3,
    })
    const client = await limited.join()
    for (let count = 1; count <= 3; count += 1) {
      client.send(get())
      await until(() => client.statuses().length === count)
    }
    expect(client.said().match(/^Connection: (?:keep-alive|close)/gm)).to.deep.equal([
      'Connection: keep-alive',
      'Connection: keep-alive',
      'Connection: close',
    ])
    await until(() => client.socket.readableEnded)
    const hasty = await limited.say(get().repeat(10))
    await until(() => hasty.socket.readableEnded)
    expect(hasty.statuses()).to.deep.equal([200, 200, 200])
  })

  it('have their own context, not that of the one before', async () => {
    const storage = new AsyncLocalStorage<string>()
    const seen: (string | undefined)[] = []
    limited = await startLimited((request, response) => {
      seen.push(storage.getStore())
      storage.enterWith(request.url ?? '')
      setImmediate(() => response.end('x'))
    })
    const client = await limited.say(get('/1') + get('/2') + get('/3'))
    await until(() => client.statuses().length === 3)
    expect(seen).to.deep.equal([undefined, undefined, undefined])
  })
})

describe('a client that reads its answers and sends one request after the other', () => {
  let limited: LimitedServer

  function echo(request: IncomingMessage, response: ServerResponse): void {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => response.end(Buffer.concat(parts)))
  }

  it('is never cut: bodies, HEAD, answers without a body, 100-continue', async () => {
    limited = await startLimited((request, response) => {
      if (request.url === '/none') response.writeHead(204).end()
      else echo(request, response)
    })
    const client = await limited.join()
    const texts = [
      get(),
      post('hello'),
      'HEAD / HTTP/1.1\r\nHost: x\r\n\r\n',
      get('/none'),
      post('x'.repeat(300_000)),
      'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n',
    ]
    let count = 0
    for (const text of [...texts, ...texts, ...texts]) {
      client.send(text)
      count += 1
      await until(() => client.statuses().length === count)
    }
    client.send(
      post('', '/', '').replace('Content-Length: 0', 'Expect: 100-continue\r\nContent-Length: 5'),
    )
    await until(() => client.said().endsWith('HTTP/1.1 100 Continue\r\n\r\n'))
    client.send('hello')
    await until(() => client.said().endsWith('hello'))
    expect(client.socket.closed).to.equal(false)
    expect(limited.limits.figures()).to.deep.include({
      open: { active: 0, idle: 1, upgraded: 0 },
    })
  })

  it('may send its next request while a body that nobody wanted is still on its way', async () => {
    limited = await startLimited((_request, response) => void response.writeHead(401).end())
    const client = await limited.join()
    for (let count = 1; count <= 5; count += 1) {
      client.send(post('x'.repeat(200_000)))
      await until(() => client.statuses().length === count)
    }
    expect(client.statuses()).to.deep.equal([401, 401, 401, 401, 401])
  })
})

describe('an upgrade', () => {
  let limited: LimitedServer

  const UPGRADE = get('/realtime/', 'Connection: Upgrade\r\nUpgrade: websocket\r\n')

  async function start(): Promise<void> {
    limited = await startLimited(
      (request, response) => {
        if (request.url !== '/slow') response.end('x')
      },
      { silenceMs: 1000, sweepMs: 100 },
    )
    limited.server.on('upgrade', (_request, socket) => {
      socket.on('error', () => {})
      // As `ws` does.
      if ('setTimeout' in socket) (socket as { setTimeout(ms: number): void }).setTimeout(0)
      socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n')
      socket.on('data', (part: Buffer) => socket.write(part))
    })
  }

  it('keeps its connection, and has no limits but the number of connections', async () => {
    await start()
    const client = await limited.say(get())
    await until(() => client.statuses().length === 1)
    client.send(UPGRADE)
    await until(() => client.statuses().includes(101))
    expect(limited.limits.figures().open).to.deep.equal({ active: 0, idle: 0, upgraded: 1 })
    const other = await limited.join()
    await until(() => other.socket.readableEnded)
    client.send(get().repeat(200))
    await until(() => client.said().split('alice.example').length > 200)
  })

  it('is refused behind requests that are not answered', async () => {
    await start()
    const client = await limited.say(get('/slow') + UPGRADE)
    await until(() => limited.sockets.size === 0)
    expect(client.said()).to.equal('')
    expect(limited.limits.figures().refused.pipeline).to.equal(1)
  })
})

/** Takes the processor for so many milliseconds. */
function spin(milliseconds: number): void {
  const until = performance.now() + milliseconds
  while (performance.now() < until);
}
