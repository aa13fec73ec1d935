import type http from 'node:http'
import zlib from 'node:zlib'
import { createOutbound, isHttpError, type Outbound } from '@svc/platform'
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

  it('takes the types of JSON', async () => {
    for (const type of ['Application/JSON; charset=UTF-8', 'application/cimd+json; profile=x']) {
      const { url, outbound } = server()
      server().answer = (_request, response) => typed(type)(response, url())
      expect((await fetchDocument(outbound, url())).body.toString()).to.include('Client')
    }
  })

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

  const invalid = (rule: string, answers: Readonly<Record<string, Answer>>) =>
    Object.entries(answers).map(([what, answer]) => [what, 'invalid', rule, answer] as const)
  const failed = (answers: Readonly<Record<string, Answer>>) =>
    Object.entries(answers).map(([what, answer]) => [what, 'status', 'status', answer] as const)
  const cases: readonly (readonly [what: string, kind: string, rule: string, answer: Answer])[] = [
    ...failed({
      '201': status(201),
      '204': status(204),
      '206': status(206),
      '301 to itself': status(301, { Location: '/c' }),
      '302 to inside': status(302, { Location: 'http://169.254.169.254/' }),
      '304': status(304),
      '307 elsewhere': status(307, { Location: 'https://other.example/c' }),
      '308': status(308, { Location: '/d' }),
      '401': status(401, { 'WWW-Authenticate': 'Basic' }),
      '404': status(404),
      '503': status(503, { 'Retry-After': '1' }),
      '500 of 10 MB': (response) => {
        response.writeHead(500, { 'Content-Length': '10000000' })
        response.write('x')
      },
    }),
    ...invalid('too_large', {
      '5 121 bytes': (response, url) => json(response, padded(url, 5121)),
      '10 MB': (response) => json(response, Buffer.alloc(10_000_000, 0x20)),
      'too many headers': (response) => {
        response.setHeader('X-Long', 'x'.repeat(20_000))
        json(response, '{}')
      },
    }),
    ...invalid('content_encoding', {
      gzip: encoded('gzip', (text) => zlib.gzipSync(text)),
      'an encoding that is none': encoded('identity', Buffer.from),
    }),
    ...invalid('media_type', {
      'no type': typed(undefined),
      HTML: typed('text/html'),
      'a type beside': typed('application/jsonp'),
      'a type of two': typed('application/json, text/html'),
      'text/json': typed('text/json'),
      '+json alone': typed('application/+json'),
      'UTF-16': typed('application/json; charset=utf-16'),
    }),
    // Every fault of the text itself: unit/client-documents/document.test.ts.
    ...invalid('json', { 'no body': (response) => json(response, '') }),
    ...invalid('client_id', {
      'another identifier': said({ client_id: 'https://other.example/c' }),
      'an identifier without port': said({ client_id: `https://${HOST}/c` }),
    }),
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

  it('is no address that is not public, alone or beside one that is', async () => {
    for (const addresses of [['10.0.0.1'], ['8.8.8.8', '::1']]) {
      const outbound = createOutbound({ lookup: async () => addresses })
      const error = await failure(fetchDocument(outbound, server().url()))
      expect([error.failure.kind, error.rule]).to.deep.equal(['unreachable', 'address'])
    }
    expect(server().connections()).to.equal(0)
  })

  /** A way that may lead to this machine, but trusts no certificate of the test. */
  function trusting(lookup: (name: string) => Promise<readonly string[]>): Outbound {
    const guard = createOutbound({ trustedNetworks: ['127.0.0.0/8'], lookup })
    return { request: (url, wanted) => guard.request(url, { ...wanted, isTrusted: true }) }
  }

  it('is not where a name leads at a second look', async () => {
    const answers = [['127.0.0.2'], ['127.0.0.1']]
    let lookups = 0
    const way = trusting(async () => answers[lookups++] ?? [])
    const error = await failure(fetchDocument(way, server().url()))
    expect(error.failure.kind).to.equal('unreachable')
    expect([lookups, server().connections()]).to.deep.equal([1, 0])
  })

  it('is not a server whose certificate nobody here trusts', async () => {
    const way = trusting(async () => ['127.0.0.1'])
    const error = await failure(fetchDocument(way, server().url()))
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
