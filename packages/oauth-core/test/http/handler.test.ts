import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import http2 from 'node:http2'
import type { AddressInfo } from 'node:net'
import { sqliteStore } from '@svc/store/sqlite'
import { type Store, StoreUnavailableError } from '@svc/store'
import { type Listening, listen } from '@svc/testkit'
import { expect } from 'chai'
import type { Middleware } from 'koa'
import { claimingAs, type HandlerOptions } from '@svc/platform'
import { createOAuth } from '../../src/index.ts'
import type { OAuth } from '../../src/oauth.ts'
import { type Answer, HOST, METADATA, type Send, sendTo } from '../oauth-server.ts'
import { fakePages } from './fake-pages.ts'

const REGISTRATION = JSON.stringify(METADATA)
const JSON_TYPE = { 'content-type': 'application/json' }

type Asking = Send & { readonly method?: string }

describe('oauth.handler', () => {
  let store: Store
  let oauth: OAuth
  let routes: Middleware
  let logged: string[]
  let servers: Listening[]

  beforeEach(async () => {
    store = sqliteStore({ file: ':memory:' })
    logged = []
    servers = []
    const write = (event: string): void => void logged.push(event)
    oauth = createOAuth({
      store,
      keys: [{ kid: 'test', key: Buffer.alloc(32, 7) }],
      log: { info: write, warn: write, error: write },
    })
    const pages = fakePages()
    oauth.useSessions(pages.sessions)
    routes = oauth.routes({ pages })
    await oauth.instances.create({ domain: HOST, aliases: ['alice.example.net'] })
  })
  afterEach(async () => {
    for (const server of servers) await server.close()
    await oauth.close()
    await store.close()
  })

  async function serve(listener: RequestListener): Promise<number> {
    const server = await listen(listener)
    servers.push(server)
    return server.port
  }

  /** A server whose own site says what it was asked, and reads what it is sent. */
  const site: RequestListener = (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.once('end', () => {
      const facts = oauth.requestOf(request)
      response.setHeader('Set-Cookie', 'theirs=1')
      response.end(
        JSON.stringify({
          headers: response.getHeaderNames(),
          body: String(Buffer.concat(chunks)),
          domain: facts?.instance.domain,
          appSlug: facts?.appSlug,
          address: facts?.address,
        }),
      )
    })
  }

  const inFront = (options: Partial<HandlerOptions> = {}): Promise<number> =>
    serve(oauth.handler({ routes: [routes], next: site, ...options }))

  it('throws to its caller what a listener behind it throws, as Node does without it', async () => {
    const handler = oauth.handler({
      routes: [routes],
      next(request, response) {
        if (request.url === '/broken') throw new Error('theirs')
        site(request, response)
      },
    })
    const port = await serve((request, response) => {
      try {
        handler(request, response)
      } catch (error) {
        response.writeHead(500).end(String(error))
      }
    })
    // The host is known from here on, so whose a request is is said at once.
    expect((await ask(port, '/theirs')).status).to.equal(200)
    expect(await ask(port, '/broken')).to.include({ status: 500, text: 'Error: theirs' })
  })

  it('answers the interface and lets everything else go on untouched', async () => {
    const port = await inFront()
    const own = await ask(port, '/.well-known/oauth-authorization-server')
    expect([own.status, JSON.parse(own.text).issuer]).to.deep.equal([200, `https://${HOST}`])
    const foreign = await ask(port, '/recipes?x=1', { method: 'POST', body: 'soup' })
    expect(JSON.parse(foreign.text)).to.deep.equal({
      headers: ['set-cookie'],
      body: 'soup',
      domain: HOST,
      address: '127.0.0.1',
    })
    expect(foreign.headers).to.not.have.any.keys('cross-origin-resource-policy', 'vary')
  })

  it('keeps every method and every spelling of a path of the interface', async () => {
    const port = await inFront()
    const other = await ask(port, '/auth/register', { method: 'GET' })
    expect([other.status, other.headers.allow]).to.deep.equal([405, 'POST'])
    for (const path of ['/auth/nothing', '/AUTH/register', '//auth/register', '/realtime/x']) {
      expect((await ask(port, path)).status, path).to.equal(404)
    }
    const handler = oauth.handler({ routes: [routes] })
    expect(handler.claims('PUT', '/auth/register')).to.equal(true)
    expect(handler.claims('GET', '/auth/nothing')).to.equal(true)
    expect(handler.claims('GET', '/recipes')).to.equal(false)
  })

  it('answers 503 while nobody can say whose app a host is', async () => {
    const unreachable = claimingAs((ctx, next) => routes(ctx, next), [], {
      servesApp: () => Promise.reject(new StoreUnavailableError('the registry of apps is down')),
    })
    const port = await inFront({ routes: [unreachable] })
    for (let time = 0; time < 2; time += 1) {
      const answer = await ask(port, '/', { host: `notes.${HOST}` })
      expect([answer.status, answer.headers['retry-after']]).to.deep.equal([503, '1'])
    }
  })

  it('asks once whose app a host is', async () => {
    let asked = 0
    const page: Middleware = (ctx) => {
      ctx.body = 'app'
    }
    const served = claimingAs(page, [], {
      servesApp: async () => {
        asked += 1
        return true
      },
    })
    const port = await inFront({ routes: [served] })
    expect((await ask(port, '/', { host: `notes.${HOST}` })).text).to.equal('app')
    expect(asked).to.equal(1)
  })

  it('gives pages of app hosts to the server, and nothing of the interface there', async () => {
    const port = await inFront()
    const host = `notes.${HOST}`
    const page = JSON.parse((await ask(port, '/', { host })).text)
    expect(page).to.include({ domain: HOST, appSlug: 'notes' })
    for (const path of ['/auth/register', '/.well-known/oauth-authorization-server']) {
      expect((await ask(port, path, { host })).status, path).to.equal(404)
    }
  })

  it('refuses what it would refuse without a framework behind it', async () => {
    const port = await inFront()
    const bob = await oauth.instances.create({ domain: 'bob.example.com' })
    await oauth.instances.update(bob.id, { status: 'blocked' })
    const blocked = await ask(port, '/recipes', { host: 'bob.example.com' })
    expect(blocked.status).to.equal(503)
    const alias = await ask(port, '/recipes', { host: 'alice.example.net' })
    expect([alias.status, alias.headers.location]).to.deep.equal([302, `https://${HOST}/recipes`])
    expect((await ask(port, '/recipes', { host: 'a b' })).status).to.equal(400)
  })

  it('refuses unknown hosts and says so once, or lets them go on where it is told to', async () => {
    const refusing = await inFront()
    for (const path of ['/recipes', '/auth/login']) {
      expect((await ask(refusing, path, { host: 'x.example' })).status).to.equal(404)
    }
    expect(logged.filter((event) => event === 'mount.unknown_host')).to.have.lengthOf(1)
    const passing = await inFront({ unknownHosts: 'next' })
    const foreign = await ask(passing, '/auth/register', { host: 'x.example' })
    expect(JSON.parse(foreign.text).domain).to.equal(undefined)
    expect((await ask(passing, '/auth/nothing')).status).to.equal(404)
  })

  it('goes on with next() in Express and Connect, without an error', async () => {
    const handler = oauth.handler({ routes: [routes] })
    const given: unknown[][] = []
    const port = await serve((request, response) => {
      handler(request, response, (...args: unknown[]) => {
        given.push(args)
        site(request, response)
      })
    })
    expect(JSON.parse((await ask(port, '/recipes')).text).domain).to.equal(HOST)
    expect((await ask(port, '/auth/nothing')).status).to.equal(404)
    expect(given).to.deep.equal([[]])
  })

  it('refuses routes that are nobody’s, and paths that two of them claim', () => {
    const foreign: Middleware = async () => {}
    expect(() => oauth.handler({ routes: [routes, foreign] })).to.throw(
      TypeError,
      'options.routes[1]: not the routes of a package',
    )
    const again = oauth.routes({ pages: fakePages() })
    expect(() => oauth.handler({ routes: [routes, again] })).to.throw(
      TypeError,
      'options.routes: /auth/register is claimed twice',
    )
  })

  describe('behind a framework all the same', () => {
    /** Something that reads bodies before the handler does, and keeps what it is told to. */
    function parserInFront(keep: (body: Buffer) => Buffer | undefined): Promise<number> {
      const handler = oauth.handler({ routes: [routes] })
      return serve((request, response) => {
        const chunks: Buffer[] = []
        request.on('data', (chunk: Buffer) => chunks.push(chunk))
        request.once('end', () => {
          const body = Buffer.concat(chunks)
          Object.assign(request, { body: JSON.parse(String(body)), rawBody: keep(body) })
          handler(request, response)
        })
      })
    }
    const register = (port: number, body = REGISTRATION): Promise<Answer> =>
      ask(port, '/auth/register', { method: 'POST', headers: JSON_TYPE, body })

    it('takes the bytes of a body that was read before, and never what was made of it', async () => {
      expect((await register(await parserInFront((body) => body))).status).to.equal(201)
      const keepers: readonly ((body: Buffer) => Buffer | undefined)[] = [
        () => undefined,
        (body) => body.subarray(1),
        (body) => String(body) as never,
      ]
      for (const keep of keepers) {
        const answer = await register(await parserInFront(keep))
        expect([answer.status, answer.text]).to.deep.equal([500, '{"error":"internal_error"}'])
      }
      expect(logged.filter((event) => event === 'mount.body_consumed')).to.have.lengthOf(1)
    })

    it('bounds the bytes of such a body as those of any', async () => {
      const large = JSON.stringify({ client_name: 'x'.repeat(1_000_000) })
      const port = await parserInFront((body) => body)
      expect((await register(port, large)).status).to.equal(413)
    })

    const prefixes: readonly (readonly [string, (request: IncomingMessage) => void])[] = [
      ['a prefix', (request) => Object.assign(request, { baseUrl: '/id', originalUrl: '/id/x' })],
      ['another address', (request) => Object.assign(request, { originalUrl: '/before' })],
    ]
    for (const [what, change] of prefixes) {
      it(`answers 500 behind ${what}, and says where to mount`, async () => {
        const handler = oauth.handler({ routes: [routes], next: site })
        const port = await serve((request, response) => {
          change(request)
          handler(request, response)
        })
        for (const path of ['/recipes', '/.well-known/oauth-authorization-server']) {
          expect((await ask(port, path)).status, path).to.equal(500)
        }
        expect(logged.filter((event) => event === 'mount.prefixed')).to.have.lengthOf(1)
      })
    }

    it('removes headers that contradict its own, and leaves the others', async () => {
      const handler = oauth.handler({ routes: [routes], next: site })
      const port = await serve((request, response) => {
        response.setHeader('Access-Control-Allow-Origin', 'https://evil.example')
        response.setHeader('Access-Control-Allow-Credentials', 'true')
        response.setHeader('Content-Security-Policy', "default-src 'none'")
        response.setHeader('Content-Type', 'text/plain')
        response.setHeader('Set-Cookie', ['svcsessid=planted', '__Host-csrf=x', 'theirs=1'])
        response.setHeader('X-Powered-By', 'something')
        handler(request, response)
      })
      const { headers } = await ask(port, '/auth/nothing')
      expect(headers).to.not.have.any.keys(
        'access-control-allow-origin',
        'access-control-allow-credentials',
        'content-security-policy',
      )
      expect(headers['x-powered-by']).to.equal('something')
      const own = await ask(port, '/.well-known/oauth-authorization-server')
      expect(own.headers['content-type']).to.match(/^application\/json/)
      expect(own.headers['set-cookie']).to.deep.equal(['theirs=1'])
      const foreign = await ask(port, '/recipes')
      expect(foreign.headers['access-control-allow-origin']).to.equal('https://evil.example')
      expect(logged.filter((event) => event === 'mount.headers_removed')).to.have.lengthOf(1)
    })

    it('answers 505 to HTTP/2', async () => {
      const handler = oauth.handler({ routes: [routes], next: site })
      const server = http2.createServer((request, response) => {
        // The two of HTTP/2 stand in for those of HTTP/1 in frameworks, too.
        handler(request as never as IncomingMessage, response as never as ServerResponse)
      })
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      const { port } = server.address() as AddressInfo
      const client = http2.connect(`http://127.0.0.1:${port}`)
      try {
        const stream = client.request({ ':path': '/recipes', ':authority': HOST })
        const status = await new Promise<unknown>((resolve, reject) => {
          stream.once('response', (headers) => resolve(headers[':status']))
          stream.once('error', reject)
        })
        expect(status).to.equal(505)
        expect(logged).to.include('mount.http_version')
      } finally {
        client.destroy()
        server.close()
      }
    })
  })
})

const ask = (port: number, path: string, { method = 'GET', ...request }: Asking = {}) =>
  sendTo(port)(method, path, request)
