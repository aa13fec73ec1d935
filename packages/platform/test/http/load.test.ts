import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { type Listening, listen, until } from '@svc/testkit'
import { expect } from 'chai'
import { limitLoad, type LoadLimits, OverloadedError, type RequestLoad } from '../../src/index.ts'
import { get, openClient, post, type RawClient } from '../support/raw-client.ts'

interface Context {
  readonly req: IncomingMessage
  readonly state: { load?: RequestLoad }
}

describe('what the requests of a process take at a time', () => {
  let server: Listening
  let limits: LoadLimits<Context>
  /** Answers of handlers that are at work. */
  const working: ServerResponse[] = []
  const clients: RawClient[] = []

  afterEach(async () => {
    for (const { socket } of clients.splice(0)) socket.destroy()
    for (const response of working.splice(0)) response.end()
    await server.close()
    await until(() => limits.figures().requests === 0 && limits.figures().bodyBytes === 0)
  })

  /** Whoever asks says in its path which address it has. */
  async function start(bounds: { requests?: number; bodyBytes?: number }): Promise<void> {
    limits = limitLoad<Context>({ ...bounds, clientAddress: ({ req }) => req.url ?? '' })
    server = await listen((request, response) => void answer(request, response))
  }

  async function answer(req: IncomingMessage, response: ServerResponse): Promise<void> {
    const ctx: Context = { req, state: {} }
    try {
      await limits.middleware(ctx, async () => {
        const { load } = ctx.state
        await load?.countBody(req, text(req))
        load?.enter()
        working.push(response)
        await once(response, 'close')
      })
    } catch (error) {
      if (error instanceof OverloadedError) response.writeHead(error.status, error.headers).end()
      else response.destroy()
    }
  }

  async function send(message: string): Promise<RawClient> {
    const client = await openClient(server.port)
    clients.push(client)
    client.send(message)
    return client
  }

  it('is a number of requests, an eighth of them of one address', async () => {
    await start({ requests: 16 })
    await Promise.all(Array.from({ length: 2 }, () => send(get('/a'))))
    await until(() => working.length === 2)
    const third = await send(get('/a'))
    await until(() => third.statuses()[0] === 503)
    expect(third.said()).to.include('Retry-After: 1')
    for (const address of 'bcdefgh') {
      await Promise.all([send(get(`/${address}`)), send(get(`/${address}`))])
    }
    await until(() => working.length === 16)
    const late = await send(get('/i'))
    await until(() => late.statuses()[0] === 503)
    working[0]?.end()
    await until(() => limits.figures().requests === 15)
    await send(get('/i'))
    await until(() => working.length === 17)
  })

  it('is nothing for a request whose body is not complete', async () => {
    await start({ requests: 1 })
    const half = await Promise.all(
      Array.from({ length: 20 }, () => send(post('x'.repeat(100), '/a').slice(0, -1))),
    )
    await until(() => limits.figures().bodyBytes === 20 * 99)
    expect(limits.figures().requests).to.equal(0)
    await send(get('/a'))
    await until(() => working.length === 1)
    half[0]?.send('x')
    await until(() => half[0]?.statuses()[0] === 503)
  })

  it('is so many bytes of bodies, counted as they arrive, an eighth of them of one address', async () => {
    await start({ bodyBytes: 80_000 })
    // What is announced holds no room.
    const large = await send('POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 64000000\r\n\r\n')
    const chunked = 'Transfer-Encoding: chunked\r\n\r\n2328\r\n'
    const other = await send(`POST /a HTTP/1.1\r\nHost: x\r\n${chunked}${'x'.repeat(9000)}`)
    await until(() => limits.figures().bodyBytes === 9000)
    large.send('x'.repeat(2000))
    await until(() => large.statuses()[0] === 503)
    expect(large.said()).to.include('Connection: close')
    other.socket.destroy()
    await until(() => limits.figures().bodyBytes === 0)
    await send(post('x'.repeat(9000), '/a'))
    await until(() => working.length === 1)
  })
})
