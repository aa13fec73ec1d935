import type http from 'node:http'
import zlib from 'node:zlib'
import { createOutbound, isHttpError } from '@svc/platform'
import { type FakeClock, eachStore, fakeClock } from '@svc/testkit'
import { sqliteStore } from '@svc/store/sqlite'
import type { Store } from '@svc/store'
import { expect } from 'chai'
import { DocumentError } from '../../src/client-documents/document-error.ts'
import { fetchDocument } from '../../src/client-documents/fetching/fetch-document.ts'
import { documentAt, documentServer, documentsOf, HOST, testInstance } from './document-servers.ts'

const alice = testInstance('alice.example.org')
const bob = testInstance('bob.example.net')

async function failure(call: Promise<unknown>): Promise<DocumentError> {
  const error = await call.then(
    () => expect.fail('the document was taken'),
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof DocumentError)) throw error
  return error
}

describe('the fetch of a document (assistants.md 2.3)', () => {
  const server = documentServer()
  let store: Store
  beforeEach(() => {
    store = sqliteStore({ file: ':memory:' })
  })
  afterEach(() => store.close())

  it('asks for JSON, says who asks, and sends nothing else of anybody', async () => {
    const { outbound, url, requests } = server()
    await fetchDocument(outbound, url())
    const [{ headers } = { headers: {} }] = requests
    expect(headers).to.deep.equal({
      accept: 'application/json',
      'accept-encoding': 'identity',
      connection: 'close',
      host: `${HOST}:${server().port}`,
      'user-agent': 'svc-client-metadata',
    })
  })

  for (const type of [
    'application/json',
    'Application/JSON; charset=UTF-8',
    'application/json;charset="utf-8"',
    'application/client+json',
    'application/cimd+json; profile=x',
  ]) {
    it(`takes the type ${type}`, async () => {
      server().answer = (_request, response) => {
        response.setHeader('Content-Type', type)
        response.end(JSON.stringify(documentAt(server().url())))
      }
      const { document } = await documentsOf(server(), store).find(alice, server().url())
      expect(document.name).to.equal('Client')
    })
  }

  it('takes a document of 5 120 bytes', async () => {
    server().answer = (_request, response) => {
      response.setHeader('Content-Type', 'application/json')
      response.end(padded(server().url(), 5120))
    }
    expect((await fetchDocument(server().outbound, server().url())).body).to.have.length(5120)
  })

  type Answer = (response: http.ServerResponse, url: string) => void
  const json = (response: http.ServerResponse, body: string | Buffer): void => {
    response.setHeader('Content-Type', 'application/json')
    response.end(body)
  }
  const said = (members: object): Answer => {
    return (response, url) => json(response, JSON.stringify(documentAt(url, members)))
  }
  const status = (code: number, headers: http.OutgoingHttpHeaders = {}): Answer => {
    return (response, url) => {
      response.writeHead(code, { 'Content-Type': 'application/json', ...headers })
      response.end(code === 204 || code === 304 ? undefined : JSON.stringify(documentAt(url)))
    }
  }
  const typed = (type: string | undefined): Answer => {
    return (response, url) => {
      if (type !== undefined) response.setHeader('Content-Type', type)
      response.end(JSON.stringify(documentAt(url)))
    }
  }
  const encoded = (encoding: string, encode: (text: string) => Buffer): Answer => {
    return (response, url) => {
      response.setHeader('Content-Encoding', encoding)
      json(response, encode(JSON.stringify(documentAt(url))))
    }
  }

  const cases: readonly (readonly [what: string, kind: string, rule: string, answer: Answer])[] = [
    ['201', 'status', 'status', status(201)],
    ['204', 'status', 'status', status(204)],
    ['206', 'status', 'status', status(206)],
    ['301 to itself', 'status', 'status', status(301, { Location: '/c' })],
    ['302 to inside', 'status', 'status', status(302, { Location: 'http://169.254.169.254/' })],
    ['304', 'status', 'status', status(304)],
    ['307 elsewhere', 'status', 'status', status(307, { Location: 'https://other.example/c' })],
    ['308', 'status', 'status', status(308, { Location: '/d' })],
    ['401', 'status', 'status', status(401, { 'WWW-Authenticate': 'Basic' })],
    ['404', 'status', 'status', status(404)],
    [
      '500 of 10 MB',
      'status',
      'status',
      (response) => {
        response.writeHead(500, { 'Content-Length': '10000000' })
        response.write('x')
      },
    ],
    ['503', 'status', 'status', status(503, { 'Retry-After': '1' })],
    ['5 121 bytes', 'invalid', 'too_large', (response, url) => json(response, padded(url, 5121))],
    ['10 MB', 'invalid', 'too_large', (response) => json(response, Buffer.alloc(10_000_000, 0x20))],
    ['gzip', 'invalid', 'content_encoding', encoded('gzip', (text) => zlib.gzipSync(text))],
    [
      'brotli',
      'invalid',
      'content_encoding',
      encoded('br', (text) => zlib.brotliCompressSync(text)),
    ],
    ['an encoding that is none', 'invalid', 'content_encoding', encoded('identity', Buffer.from)],
    ['no type', 'invalid', 'media_type', typed(undefined)],
    ['HTML', 'invalid', 'media_type', typed('text/html')],
    ['text', 'invalid', 'media_type', typed('text/plain; charset=utf-8')],
    ['a type beside', 'invalid', 'media_type', typed('application/jsonp')],
    ['a type of two', 'invalid', 'media_type', typed('application/json, text/html')],
    ['text/json', 'invalid', 'media_type', typed('text/json')],
    ['+json alone', 'invalid', 'media_type', typed('application/+json')],
    ['UTF-16', 'invalid', 'media_type', typed('application/json; charset=utf-16')],
    ['Latin-1', 'invalid', 'media_type', typed('application/json;charset=iso-8859-1')],
    ['no body', 'invalid', 'json', (response) => json(response, '')],
    [
      'bytes that are no UTF-8',
      'invalid',
      'encoding',
      (response) => json(response, Buffer.from('{"a":"\xff"}', 'latin1')),
    ],
    [
      'a member twice',
      'invalid',
      'member_twice',
      (response, url) =>
        json(response, `{"client_id":"x",${JSON.stringify(documentAt(url)).slice(1)}`),
    ],
    ['a depth of 5', 'invalid', 'depth', said({ x: [[[[]]]] })],
    ['another identifier', 'invalid', 'client_id', said({ client_id: 'https://other.example/c' })],
    [
      'an identifier in other case',
      'invalid',
      'client_id',
      (response, url) =>
        json(response, JSON.stringify(documentAt(url.replace('client', 'CLIENT')))),
    ],
    [
      'an identifier with a slash',
      'invalid',
      'client_id',
      (response, url) => json(response, JSON.stringify(documentAt(`${url}/`))),
    ],
    [
      'an identifier without port',
      'invalid',
      'client_id',
      said({ client_id: `https://${HOST}/c` }),
    ],
    ['a secret', 'invalid', 'client_secret', said({ client_secret: 'x' })],
    [
      'a secret method',
      'invalid',
      'token_endpoint_auth_method',
      said({ token_endpoint_auth_method: 'client_secret_basic' }),
    ],
    ['a connection that ends', 'unreachable', 'ECONNRESET', (response) => response.destroy()],
    [
      'half a body',
      'unreachable',
      'ECONNRESET',
      (response) => {
        response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '100' })
        response.write('{')
        setImmediate(() => response.destroy())
      },
    ],
    [
      'too many headers',
      'invalid',
      'too_large',
      (response) => {
        response.setHeader('X-Long', 'x'.repeat(20_000))
        json(response, '{}')
      },
    ],
  ]
  for (const [what, kind, rule, answer] of cases) {
    it(`refuses ${what}, and keeps nothing`, async () => {
      const { url } = server()
      server().answer = (_request, response) => answer(response, url())
      const documents = documentsOf(server(), store)
      const error = await failure(documents.find(alice, url()))
      expect([error.failure.kind, error.rule]).to.deep.equal([kind, rule])
      expect(documents.fetches).to.deep.include.members([
        {
          host: HOST,
          outcome: kind,
          rule,
          ...('status' in error.failure && { status: error.failure.status }),
          ms: documents.fetches[0]?.ms,
        },
      ])
      await failure(documents.find(alice, url()))
      expect(documents.fetches).to.have.length(2)
    })
  }

  it('ends an endless drip after 5 s', async function () {
    this.timeout(20_000)
    server().answer = (_request, response) => {
      response.setHeader('Content-Type', 'application/json')
      const drip = setInterval(() => response.write(' '), 100)
      response.on('close', () => clearInterval(drip))
    }
    const start = performance.now()
    const error = await failure(fetchDocument(server().outbound, server().url()))
    expect(error.failure.kind).to.equal('timeout')
    expect(performance.now() - start).to.be.within(4900, 8000)
  })
})

describe('where a fetch leads (assistants.md 2.3)', () => {
  const server = documentServer()

  for (const address of [
    '0.0.0.0',
    '10.0.0.1',
    '100.64.0.1',
    '127.0.0.1',
    '168.63.129.16',
    '169.254.169.254',
    '172.16.0.1',
    '192.0.2.1',
    '192.168.0.1',
    '198.18.0.1',
    '203.0.113.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '64:ff9b::7f00:1',
    '2001:db8::1',
    '2002:7f00:1::1',
    'fc00::1',
    'fe80::1',
    'ff02::1',
  ]) {
    it(`is not ${address}, alone or beside a public address`, async () => {
      for (const addresses of [[address], ['8.8.8.8', address]]) {
        const outbound = createOutbound({ lookup: async () => addresses })
        const error = await failure(fetchDocument(outbound, server().url()))
        expect([error.failure.kind, error.rule]).to.deep.equal(['unreachable', 'address'])
      }
      expect(server().connections()).to.equal(0)
    })
  }

  it('is not where a name leads at a second look', async () => {
    const answers = [['127.0.0.2'], ['127.0.0.1']]
    let lookups = 0
    const guard = createOutbound({
      trustedNetworks: ['127.0.0.0/8'],
      lookup: async () => answers[lookups++] ?? [],
    })
    const outbound = {
      request: (url: string | URL, wanted: object) =>
        guard.request(url, { method: 'GET', ...wanted, isTrusted: true }),
    }
    const error = await failure(fetchDocument(outbound, server().url()))
    expect(error.failure.kind).to.equal('unreachable')
    expect([lookups, server().connections()]).to.deep.equal([1, 0])
  })

  it('is not a server whose certificate nobody here trusts', async () => {
    const guard = createOutbound({
      trustedNetworks: ['127.0.0.0/8'],
      lookup: async () => ['127.0.0.1'],
    })
    const outbound = {
      request: (url: string | URL, wanted: object) =>
        guard.request(url, { method: 'GET', ...wanted, isTrusted: true }),
    }
    const error = await failure(fetchDocument(outbound, server().url()))
    expect(error.failure.kind).to.equal('unreachable')
    expect(server().requests).to.deep.equal([])
  })

  it('is not a name that leads nowhere', async () => {
    const outbound = createOutbound({
      lookup: async () => {
        throw new Error('ENOTFOUND')
      },
    })
    const error = await failure(fetchDocument(outbound, server().url()))
    expect([error.failure.kind, error.rule]).to.deep.equal(['unreachable', 'lookup'])
  })
})

eachStore((open) => {
  describe('documents that are kept (assistants.md 2.5, 2.6)', () => {
    const server = documentServer()
    let clock: FakeClock
    beforeEach(() => {
      clock = fakeClock()
      clock.stop()
    })

    it('are fetched once by parallel requests, and used by every process and instance', async () => {
      const store = await open({ clock })
      const documents = documentsOf(server(), store, { clock })
      const found = await Promise.all(
        Array.from({ length: 20 }, (_, at) => documents.find(at % 2 ? alice : bob, server().url())),
      )
      expect(new Set(found.map(({ digest }) => digest)).size).to.equal(1)
      await documentsOf(server(), store, { clock }).find(bob, server().url())
      expect(server().connections()).to.equal(1)
    })

    it('are fetched again when they are no longer fresh', async () => {
      const documents = documentsOf(server(), await open({ clock }), { clock })
      await documents.find(alice, server().url())
      clock.advance(59 * 60_000)
      const before = await documents.find(alice, server().url())
      clock.advance(2 * 60_000)
      const after = await documents.find(alice, server().url())
      expect(after.fetchedAt - before.fetchedAt).to.equal(61 * 60_000)
      expect(server().connections()).to.equal(2)
    })

    it('are read by each instance with its own return addresses', async () => {
      const { url } = server()
      server().answer = (_request, response) => {
        response.setHeader('Content-Type', 'application/json')
        response.end(
          JSON.stringify(documentAt(url(), { redirect_uris: [`https://${bob.domain}/b`] })),
        )
      }
      const documents = documentsOf(server(), await open({ clock }), { clock })
      const { document } = await documents.find(alice, url())
      expect(document.redirectUris).to.deep.equal([`https://${bob.domain}/b`])
      const error = await failure(documents.find(bob, url()))
      expect(error.rule).to.equal('redirect_uris')
      expect(server().connections()).to.equal(1)
    })

    it('are at most 78 of a part, the oldest out', async () => {
      const store = await open({ clock })
      const { DocumentCache, DOCUMENT_TAGS, documentTag } = await import(
        '../../src/client-documents/document-cache.ts'
      )
      expect(DOCUMENT_TAGS).to.have.length(64)
      const cache = new DocumentCache(store)
      const tag = DOCUMENT_TAGS[0]
      const urls: string[] = []
      for (let at = 0; urls.length < 80; at += 1) {
        const url = `https://client.example/${at}`
        if (documentTag(url) === tag) urls.push(url)
      }
      for (const url of urls) {
        clock.advance(1)
        const fetchedAt = clock.now()
        await cache.put(url, { text: '{}', fetchedAt, freshUntil: fetchedAt + 3_600_000 })
      }
      const kept = await Promise.all(urls.map((url) => cache.get(url)))
      expect(kept.findIndex((each) => each !== undefined)).to.equal(2)
      expect(kept.filter((each) => each !== undefined)).to.have.length(78)
    })

    it('are looked up so often an hour and no more: of an address, an instance, a process', async () => {
      server().answer = (_request, response) => {
        response.statusCode = 404
        response.end()
      }
      const store = await open({ clock })
      const documents = documentsOf(server(), store, { clock, limit: 2 })
      const look = async (instance: typeof alice, path: string): Promise<string> => {
        const error = await documents.find(instance, server().url(path)).catch((thrown) => thrown)
        if (error instanceof DocumentError) return error.failure.kind
        expect(isHttpError(error) && [error.status, error.code]).to.deep.equal([
          429,
          'too_many_lookups',
        ])
        expect(Number(error.headers?.['Retry-After'])).to.be.within(3500, 3600)
        expect(error.description).to.equal('Too many apps were looked up. Try again in 60 minutes.')
        return 'limited'
      }
      expect([await look(alice, '/1'), await look(bob, '/1')]).to.deep.equal(['status', 'status'])
      expect([await look(alice, '/1'), await look(bob, '/1')]).to.deep.equal(['limited', 'limited'])
      for (const path of ['/2', '/3', '/4', '/5'])
        expect(await look(alice, path)).to.equal('status')
      expect(await look(alice, '/6')).to.equal('limited')
      expect(await look(bob, '/6')).to.equal('status')
      const seen = server().connections()
      expect(seen).to.equal(7)
      const others = Array.from({ length: 60 }, (_, at) => testInstance(`o${at}.example.org`))
      const outcomes = await Promise.all(others.map((other, at) => look(other, `/o${at}`)))
      // 10 were counted in this process so far; 60 may be.
      expect(outcomes.filter((outcome) => outcome === 'limited')).to.have.length(10)
      clock.advance(3_600_000)
      expect(await look(alice, '/1')).to.equal('status')
      expect(server().connections()).to.equal(seen + 51)
    })
  })
})

function padded(url: string, length: number): string {
  const text = JSON.stringify(documentAt(url))
  return text + ' '.repeat(length - text.length)
}
