import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createGate, timeBudget, scaledLimit } from '@svc/testkit'
import { expect } from 'chai'
import {
  createOutbound,
  type OutboundError,
  type OutboundOptions,
  type OutboundRequest,
} from '../../src/index.ts'
import { faultOf } from '../support/fault-of.ts'
import {
  GET,
  NOBODY,
  serveBytes,
  serveHttp,
  servePatient,
  type TestServer,
  trusting,
} from './outbound-servers.ts'

const LATE = { kind: 'timeout', reason: 'total', isSent: true }

describe('outgoing calls (connectors.md 6.1; security.md 101)', () => {
  const failure = faultOf<OutboundError>
  const failureOf = (
    { url }: TestServer,
    request: Partial<OutboundRequest> = {},
    options: OutboundOptions = {},
  ) => failure(trusting(options).request(url, { ...GET, ...request }))

  /** One that answers what comes first with these bytes, and ends. */
  const sending = (bytes: string) =>
    serveBytes((socket) => socket.once('data', () => socket.end(bytes)))

  it('refuses loopback by default, and no connection is made', async () => {
    const server = await serveHttp((_request, response) => response.end())
    const { log, lines } = recordingLog()
    const urls = [
      `https://127.0.0.1:${server.port}/?secret`,
      `https://[::ffff:127.0.0.1]:${server.port}/`,
      `https://localhost:${server.port}/`,
    ]
    for (const url of urls) {
      const error = await failure(createOutbound({ log }).request(url, { method: 'GET' }))
      expect(error).to.include({ kind: 'refused', reason: 'address', isSent: false })
      expect(error.message).to.not.include('127')
    }
    expect(server.connections()).to.equal(0)
    expect(lines).to.deep.include(['outbound.refused', { rule: 'address', host: '127.0.0.1' }])
    expect(JSON.stringify(lines)).to.not.include('secret')
  })

  it('refuses loopback for what is trusted too, unless it lies in a trusted network', async () => {
    const server = await serveHttp((_request, response) => response.end())
    const { url } = server
    const others = createOutbound({ trustedNetworks: ['10.0.0.0/8'] })
    expect(await failure(others.request(url, GET))).to.include({ kind: 'refused' })
    const untrusted = await failure(trusting().request(url, { method: 'GET' }))
    expect(untrusted).to.include({ kind: 'refused' })
    expect(server.connections()).to.equal(0)
    expect((await trusting().request(url, GET)).status).to.equal(200)
  })

  it('sends method, query, headers and body; those of the connection are its own', async () => {
    let got = {}
    const server = await serveHttp(async (request, response) => {
      let body = ''
      for await (const chunk of request) body += String(chunk)
      got = { method: request.method, url: request.url, headers: request.headers, body }
      response.writeHead(201, { 'X-Answer': 'yes' }).end('done')
    })
    const answer = await trusting().request(`${server.url}a/b?c=d#e`, {
      method: 'POST',
      isTrusted: true,
      body: 'ünïcode',
      headers: {
        'X-Own': 'kept',
        'Accept-Encoding': 'gzip',
        Connection: 'keep-alive',
        'Transfer-Encoding': 'chunked',
        'content-length': '1',
        HOST: 'evil.example',
      },
    })
    expect(answer.status).to.equal(201)
    expect(answer.headers['x-answer']).to.equal('yes')
    expect(answer.body.toString()).to.equal('done')
    expect(got).to.deep.equal({
      method: 'POST',
      url: '/a/b?c=d',
      headers: {
        host: `127.0.0.1:${server.port}`,
        'x-own': 'kept',
        'accept-encoding': 'identity',
        connection: 'close',
        'content-length': '9',
      },
      body: 'ünïcode',
    })
  })

  for (const status of [301, 302, 303, 307, 308]) {
    it(`returns a ${status} as it is and asks nobody else`, async () => {
      const inner = await serveHttp((_request, response) => response.end('inner'))
      const location = inner.url
      const server = await serveHttp((_request, response) =>
        response.writeHead(status, { location }).end(),
      )
      const answer = await trusting().request(server.url, GET)
      expect(answer.status).to.equal(status)
      expect(inner.connections()).to.equal(0)
      expect(server.connections()).to.equal(1)
    })
  }

  it('opens a connection of its own for each call', async () => {
    const server = await serveHttp((_request, response) => response.end())
    const outbound = trusting()
    for (let i = 0; i < 3; i += 1) {
      await outbound.request(server.url, GET)
    }
    expect(server.connections()).to.equal(3)
  })

  describe('calls that may be repeated', () => {
    const POST = { method: 'POST', isTrusted: true, isRepeatable: true, body: 'x' } as const

    it('go over one connection while their name has the same addresses', async () => {
      const server = await servePatient((_request, response) => response.end())
      let addresses = ['127.0.0.1']
      const outbound = trusting({ lookup: async () => addresses })
      const url = `http://push.example:${server.port}/`
      for (let i = 0; i < 3; i += 1) await outbound.request(url, POST)
      expect(server.connections()).to.equal(1)
      addresses = ['127.0.0.1', '127.0.0.2']
      await outbound.request(url, POST)
      expect(server.connections()).to.equal(2)
      await outbound.request(`http://other.example:${server.port}/`, POST)
      expect(server.connections()).to.equal(3)
    })

    it('are checked each time, whatever connection is there', async () => {
      const server = await servePatient((_request, response) => response.end())
      let addresses = ['127.0.0.1']
      const outbound = trusting({ lookup: async () => addresses })
      const url = `http://push.example:${server.port}/`
      await outbound.request(url, POST)
      addresses = ['127.0.0.1', '10.0.0.1']
      expect(await failure(outbound.request(url, POST))).to.include({ kind: 'refused' })
    })

    it('leave no connection to calls that may not be repeated', async () => {
      const server = await servePatient((_request, response) => response.end())
      const outbound = trusting()
      const { url } = server
      await outbound.request(url, POST)
      await outbound.request(url, { ...POST, isRepeatable: false })
      expect(server.connections()).to.equal(2)
    })

    it('are made once more on a new connection when the one of before had ended', async () => {
      const bodies: string[] = []
      const server = await servePatient(async (request, response) => {
        let body = ''
        for await (const chunk of request) body += String(chunk)
        bodies.push(body)
        // The second call finds a connection that the server ended meanwhile.
        if (bodies.length === 2) request.socket.destroy()
        else response.end()
      })
      const outbound = trusting()
      const { url } = server
      for (const body of ['first', 'second']) {
        expect((await outbound.request(url, { ...POST, body })).status).to.equal(200)
      }
      expect(bodies).to.deep.equal(['first', 'second', 'second'])
      expect(server.connections()).to.equal(2)
    })

    it('are not made again when a connection of their own breaks', async () => {
      const server = await servePatient((request) => request.socket.destroy())
      expect(await failureOf(server, POST)).to.include({ kind: 'unreachable', isSent: true })
      expect(server.connections()).to.equal(1)
    })

    it('keep no connection whose answer was too large', async () => {
      const server = await servePatient((_request, response) => response.end('x'.repeat(20)))
      const outbound = trusting({ maxBytes: 10 })
      const { url } = server
      for (let i = 0; i < 2; i += 1) {
        expect(await failure(outbound.request(url, POST))).to.include({ kind: 'too_large' })
      }
      expect(server.connections()).to.equal(2)
    })

    it('keep 64 idle connections at most, and 16 to one server', async () => {
      const all = await Promise.all(
        Array.from({ length: 5 }, () => {
          const answering: (() => void)[] = []
          return servePatient((_request, response) => {
            answering.push(() => response.end())
            // Twenty calls at a time need twenty connections.
            if (answering.length % 20 === 0) for (const answer of answering.splice(0)) answer()
          })
        }),
      )
      const outbound = trusting()
      const connections = (): number => all.reduce((count, one) => count + one.connections(), 0)
      const callAll = async (): Promise<void> => {
        const calls = all.flatMap(({ port }) =>
          Array.from({ length: 20 }, () => outbound.request(`http://127.0.0.1:${port}/`, POST)),
        )
        await Promise.all(calls)
      }
      await callAll()
      expect(connections()).to.equal(100)
      await callAll()
      expect(connections()).to.equal(100 + 100 - 64)
    })
  })

  it('says that nothing was sent when the connection is refused', async () => {
    const server = await serveHttp(() => {})
    await server.close()
    expect(await failureOf(server)).to.include(NOBODY)
  })

  it('says that nothing was sent when the name is not known', async () => {
    const outbound = trusting({ lookup: () => Promise.reject(new Error('ENOTFOUND')) })
    const error = await failure(outbound.request('https://nowhere.example/', GET))
    expect(error).to.include({ kind: 'unreachable', reason: 'lookup', isSent: false })
  })

  it('says that something was sent when the connection breaks afterwards', async () => {
    const server = await serveBytes((socket) => socket.once('data', () => socket.destroy()))
    expect(await failureOf(server)).to.include({ kind: 'unreachable', isSent: true })
  })

  const malformed: readonly (readonly [string, string, Partial<OutboundError>])[] = [
    [
      'that breaks off',
      'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc',
      { kind: 'unreachable', isSent: true },
    ],
    ['that is not HTTP', 'SSH-2.0-OpenSSH\r\n', { kind: 'malformed', isSent: true }],
    [
      'with more headers than 16 KiB',
      `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
      { kind: 'too_large', reason: 'headers' },
    ],
  ]
  for (const [what, bytes, fault] of malformed) {
    it(`takes no answer ${what}`, async () => {
      expect(await failureOf(await sending(bytes))).to.include(fault)
    })
  }

  it('takes no change of protocol, and no answer that only announces another', async () => {
    for (const answer of [
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\nx',
      'HTTP/1.1 100 Continue\r\n\r\n',
      'HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n',
    ]) {
      const server = await sending(answer)
      const startedAt = performance.now()
      expect(await failureOf(server)).to.include({ kind: 'unreachable', isSent: true })
      expect(performance.now() - startedAt).to.be.lessThan(timeBudget(3000))
    }
  })

  it('takes a body of the greatest size, and none of a byte more, said before or not', async () => {
    const server = await serveHttp((request, response) => {
      const size = Number(request.url?.slice(2))
      if (request.url?.startsWith('/s')) response.setHeader('content-length', size)
      else response.write('')
      response.end(Buffer.alloc(size))
    })
    const outbound = trusting({ maxBytes: 100_000 })
    for (const kind of ['s', 'c']) {
      expect((await outbound.request(`${server.url}${kind}100000`, GET)).body).to.have.length(
        100_000,
      )
      const error = await failure(outbound.request(`${server.url}${kind}100001`, GET))
      expect(error).to.include({ kind: 'too_large', reason: 'body', isSent: true })
    }
    expect(
      (await outbound.request(`${server.url}c200000`, { ...GET, maxBytes: 200_000 })).status,
    ).to.equal(200)
  })

  it('ends a body without end at the greatest size', async () => {
    const server = await serveHttp((_request, response) => {
      const more = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536))) {}
      }
      response.on('drain', more)
      more()
    })
    expect(await failureOf(server)).to.include({ kind: 'too_large' })
  })

  it('waits no longer than the whole time for an answer', async () => {
    const server = await serveHttp(() => {})
    const totalMs = scaledLimit(150)
    const startedAt = performance.now()
    expect(await failureOf(server, { totalMs })).to.include(LATE)
    expect(performance.now() - startedAt).to.be.within(totalMs - 10, timeBudget(2000))
  })

  it('waits no longer than the whole time for a body that drips', async () => {
    const server = await serveHttp((_request, response) => {
      const timer = setInterval(() => response.write('.'), 20)
      response.once('close', () => clearInterval(timer))
    })
    expect(await failureOf(server, { totalMs: scaledLimit(200) })).to.include(LATE)
  })

  it('waits no longer than the time for connecting for TLS, and then nothing was sent', async () => {
    const server = await serveBytes(() => {})
    const error = await failure(
      trusting().request(`https://127.0.0.1:${server.port}/`, { ...GET, connectMs: 150 }),
    )
    expect(error).to.include({ kind: 'timeout', reason: 'connect', isSent: false })
  })

  it('waits no longer than the time for connecting for a name', async () => {
    const outbound = trusting({ connectMs: 100, lookup: () => new Promise(() => {}) })
    const error = await failure(outbound.request('https://slow.example/', GET))
    expect(error).to.include({ kind: 'timeout', reason: 'connect', isSent: false })
  })

  it('rejects with the reason of its signal, before and during the call', async () => {
    const asked = createGate()
    const server = await serveHttp(() => void asked.pass())
    const { url } = server
    const reason = new Error('not wanted any more')
    const during = new AbortController()
    const call = failure(trusting().request(url, { ...GET, signal: during.signal }))
    await asked.arrived(1)
    during.abort(reason)
    expect(await call).to.equal(reason)
    const early = AbortSignal.abort(reason)
    expect(await failure(trusting().request(url, { ...GET, signal: early }))).to.equal(reason)
  })

  it('leaves a compressed body alone: nothing can unpack to more than was counted', async () => {
    const server = await serveHttp((_request, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end('not unpacked'),
    )
    const { body } = await trusting().request(server.url, GET)
    expect(body.toString()).to.equal('not unpacked')
  })

  it('does not use the proxies of the environment', async () => {
    const proxy = await serveHttp((_request, response) => response.writeHead(502).end())
    const server = await serveHttp((_request, response) => response.writeHead(204).end())
    const address = proxy.url
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [
        '--conditions=source',
        fileURLToPath(new URL('outbound-process.ts', import.meta.url)),
        server.url,
      ],
      {
        env: {
          ...process.env,
          NODE_USE_ENV_PROXY: '1',
          HTTP_PROXY: address,
          http_proxy: address,
          NO_PROXY: '',
          no_proxy: '',
        },
      },
    )
    expect(stdout.trim()).to.equal('204')
    expect(proxy.connections()).to.equal(0)
  })
})

function recordingLog(): {
  readonly log: NonNullable<OutboundOptions['log']>
  readonly lines: (readonly [string, unknown])[]
} {
  const lines: (readonly [string, unknown])[] = []
  const write = (event: string, fields: unknown): void => void lines.push([event, fields])
  return { log: { info: write, warn: write, error: write }, lines }
}
