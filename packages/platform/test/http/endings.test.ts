import { until } from '@svc/testkit'
import { expect } from 'chai'
import type { ServerResponse } from 'node:http'
import { type LimitedServer, startLimited } from '../support/limited-server.ts'
import { get, post } from '../support/raw-client.ts'

const HALF_HEADER = 'GET / HTTP/1.1\r\nHost: alice.example\r\n'
const HALF_BODY = 'POST / HTTP/1.1\r\nHost: alice.example\r\nContent-Length: 10\r\n\r\nhalf'

describe('a connection that is over', function () {
  this.timeout(20_000)
  let limited: LimitedServer

  const SHORT = { headersMs: 500, requestMs: 1000, idleMs: 500, silenceMs: 1500, sweepMs: 200 }

  /** Echoes what comes, once it has all come. */
  async function start(bounds = {}): Promise<void> {
    limited = await startLimited(
      (request, response) => {
        request.on('error', () => {})
        request.resume().on('end', () => response.end('x'))
      },
      { ...SHORT, ...bounds },
    )
  }

  const over: [string, string, number | undefined, string | undefined][] = [
    ['silent', '', 408, 'slow_headers'],
    ['half a header', HALF_HEADER, 408, 'slow_headers'],
    ['half a body', HALF_BODY, 408, 'slow_body'],
    ['malformed', 'hello\r\n\r\n', 400, 'malformed'],
    ['a header line too many', get('/', 'x: y\r\n'.repeat(100)), 431, 'malformed'],
    ['very many header lines', get('/', 'x: y\r\n'.repeat(2000)), 431, 'malformed'],
    ['a header section too large', get('/', `x: ${'y'.repeat(17_000)}\r\n`), 431, 'malformed'],
    ['its last request was answered', get('/', 'Connection: close\r\n'), 200, undefined],
    ['idle', get(), 200, undefined],
  ]
  for (const [what, text, status, reason] of over) {
    it(`is destroyed soon though its client never ends it: ${what}`, async () => {
      await start()
      const client = await limited.say(text)
      await until(() => limited.sockets.size === 0 && client.statuses().length > 0)
      expect(client.statuses()).to.deep.equal([status])
      if (status !== 200) expect(client.said()).to.include('\r\nConnection: close\r\n')
      const { refused } = limited.limits.figures()
      expect(Object.entries(refused).filter(([, count]) => count > 0)).to.deep.equal(
        reason === undefined ? [] : [[reason, 1]],
      )
    })
  }

  const overflowing: readonly [what: string, lines: string][] = [
    ['cookies beyond 15 KB', `Cookie: neighbour=${'y'.repeat(15_900)}; b=${'z'.repeat(900)}\r\n`],
    ['cookies in many lines', 'Cookie: a=b\r\n'.repeat(101)],
  ]
  for (const [what, lines] of overflowing) {
    it(`says what to do about ${what}`, async () => {
      await start()
      const client = await limited.say(get('/auth/login', lines))
      await until(() => client.socket.readableEnded)
      // The client reads bytes.
      const said = Buffer.from(client.said(), 'latin1').toString()
      const [head = '', body = ''] = said.split('\r\n\r\n')
      expect(head).to.match(/^HTTP\/1\.1 431 /)
      expect(head).to.include('\r\nContent-Type: text/plain; charset=utf-8')
      expect(head).to.include(`\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`)
      for (const words of [
        'Clear the cookies of this domain',
        'Supprimez les cookies de ce domaine',
        'Löschen Sie die Cookies dieser Domain',
        'Borre las cookies de este dominio',
      ])
        expect(body).to.include(words)
    })
  }

  it('is destroyed soon though its client goes on sending', async () => {
    await start()
    const client = await limited.say('hello\r\n\r\n')
    const sending = setInterval(() => client.socket.writable && client.send('more'), 5)
    try {
      await until(() => limited.sockets.size === 0)
    } finally {
      clearInterval(sending)
    }
    expect(client.statuses()).to.deep.equal([400])
  })

  it('is destroyed when its client ended its side', async () => {
    await start()
    const client = await limited.join()
    client.socket.end(HALF_HEADER)
    await until(() => limited.sockets.size === 0 && client.statuses().length > 0)
    expect(client.statuses()).to.deep.equal([400])
  })

  it('is gone when the handler is silent for too long', async () => {
    limited = await startLimited(() => {}, { ...SHORT, silenceMs: 300 })
    const client = await limited.say(get())
    await until(() => limited.sockets.size === 0)
    expect(client.said()).to.equal('')
  })

  it('stays when its handler looks after the time itself', async () => {
    let isLate = false
    limited = await startLimited(
      (_request, response) => {
        response.setTimeout(300, () => {
          isLate = true
          response.end('late')
        })
      },
      { ...SHORT, silenceMs: 200 },
    )
    const client = await limited.say(get())
    await until(() => client.said().endsWith('late'))
    expect(isLate).to.equal(true)
  })

  it('answers what came before the malformed part, and nothing after it', async () => {
    const waiting: ServerResponse[] = []
    limited = await startLimited((_request, response) => waiting.push(response), SHORT)
    const client = await limited.say(`${get('/1')}${get('/2')}hello\r\n\r\n`)
    await until(() => waiting.length === 1)
    waiting[0]?.end('1')
    await until(() => waiting.length === 2)
    waiting[1]?.end('2')
    await until(() => client.socket.readableEnded)
    expect(client.statuses()).to.deep.equal([200, 200])
    expect(client.said()).to.match(/Connection: close\r\n(?:.+\r\n)*\r\n2$/)
  })

  it('takes 100 header lines', async () => {
    await start()
    const client = await limited.say(get('/', 'x: y\r\n'.repeat(99)))
    await until(() => client.statuses()[0] === 200)
  })

  it('answers what came before too many header lines, and nothing after it', async () => {
    const waiting: ServerResponse[] = []
    limited = await startLimited((_request, response) => waiting.push(response), SHORT)
    const client = await limited.say(`${get('/1')}${get('/2', 'x: y\r\n'.repeat(101))}${get('/3')}`)
    await until(() => waiting.length === 1)
    waiting[0]?.end('1')
    await until(() => client.socket.readableEnded)
    expect(client.statuses()).to.deep.equal([200])
    expect(waiting).to.have.lengthOf(1)
  })

  it('says nothing more once a request was answered whose body never came', async () => {
    limited = await startLimited((_request, response) => void response.end('x'), SHORT)
    const client = await limited.say(HALF_BODY)
    await until(() => limited.sockets.size === 0 && client.statuses().length > 0)
    expect(client.statuses()).to.deep.equal([200])
  })

  it('lets a client that is refused in the middle of its body read why', async () => {
    limited = await startLimited((request, response) => {
      // As a body reader does that has seen enough.
      request.once('data', () => {
        request.pause()
        response.writeHead(413, { Connection: 'close' }).end('too large')
      })
    })
    const one = post('x'.repeat(65_536))
    for (let count = 0; count < 100; count += 1) {
      const client = await limited.say(one.slice(0, 30_000))
      await until(() => client.statuses().length === 1)
      client.send(one.slice(30_000))
      await until(() => client.socket.readableEnded)
      expect(client.said()).to.match(/^HTTP\/1\.1 413 [^]*too large\r\n0\r\n\r\n$/)
      client.socket.end()
    }
    await until(() => limited.sockets.size === 0)
  })

  it('takes no more than a little of what such a client still sends, and lets it read why', async () => {
    limited = await startLimited((_request, response) => {
      response.writeHead(413, { Connection: 'close' }).end('too large')
    })
    const client = await limited.join()
    const body = 64_000_000
    client.send(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${body}\r\n\r\n`)
    const [socket] = limited.sockets
    client.send(Buffer.alloc(body, 'x'))
    await until(() => client.said().includes('too large'))
    await until(() => limited.sockets.size === 0)
    expect(socket?.bytesRead).to.be.lessThan(1_000_000)
  })
})
