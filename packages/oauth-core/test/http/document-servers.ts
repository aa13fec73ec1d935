import type http from 'node:http'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import {
  createOutbound,
  createRateLimits,
  HOUR_MS,
  type Instance,
  type Outbound,
} from '@svc/platform'
import type { Store } from '@svc/store'
import { makeTlsCertificate, type TlsCertificate } from '@svc/testkit/attestation'
import { ClientDocuments, type DocumentFetch } from '../../src/client-documents/client-documents.ts'
import { DocumentCache } from '../../src/client-documents/document-cache.ts'
import { DocumentCopies } from '../../src/client-documents/document-copies.ts'
import { LookUpLimits, tooManyLookUps } from '../../src/client-documents/document-limits.ts'

/** Where documents of these tests are; the certificate is for this name. */
export const HOST = 'client.example'

/** A server that documents are fetched from, and a way to it that leads nowhere else. */
export interface DocumentServer {
  readonly port: number
  /** The address of a document there. */
  url(path?: string): string
  /** Requests that came, each as its line and headers. */
  readonly requests: { readonly url: string; readonly headers: http.IncomingHttpHeaders }[]
  connections(): number
  /** Names that were looked up. */
  readonly lookups: string[]
  /** The guard of outgoing calls, for which 127.0.0.1 is public here. */
  readonly outbound: Outbound
  answer: http.RequestListener
}

/** Starts such a server before the tests of a suite. */
export function documentServer(addresses: readonly string[] = ['127.0.0.1']): () => DocumentServer {
  let certificate: TlsCertificate
  let current: DocumentServer | undefined
  let close: (() => Promise<void>) | undefined
  before(async () => {
    certificate = await makeTlsCertificate([HOST])
  })
  beforeEach(async () => {
    current = await start()
  })
  afterEach(() => close?.())

  return () => {
    if (current === undefined) throw new Error('the server starts with each test')
    return current
  }

  async function start(): Promise<DocumentServer> {
    let connections = 0
    const requests: DocumentServer['requests'] = []
    const lookups: string[] = []
    const server = https.createServer(certificate, (request, response) => {
      requests.push({ url: request.url ?? '', headers: request.headers })
      self.answer(request, response)
    })
    server.on('connection', () => (connections += 1))
    server.on('tlsClientError', () => {})
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    // A TCP server's address is an object; a string is only given for pipes.
    const { port } = server.address() as AddressInfo
    const guard = createOutbound({
      ca: [certificate.ca],
      trustedNetworks: ['127.0.0.1/32'],
      lookup: async (name) => {
        lookups.push(name)
        return addresses
      },
    })
    const self: DocumentServer = {
      port,
      url: (path = '/c') => `https://${HOST}:${port}${path}`,
      requests,
      connections: () => connections,
      lookups,
      outbound: {
        request: (url, wanted) => guard.request(url, { ...wanted, isTrusted: true }),
      },
      answer: (_request, response) => {
        response.setHeader('Content-Type', 'application/json')
        response.end(JSON.stringify(documentAt(self.url())))
      },
    }
    close = () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
    return self
  }
}

/** The least a document says. */
export function documentAt(url: string, more: object = {}): Record<string, unknown> {
  return {
    client_id: url,
    client_name: 'Client',
    redirect_uris: [`https://${HOST}/back`],
    ...more,
  }
}

/** What asks for documents, as one process has it. */
export function documentsOf(
  { outbound }: Pick<DocumentServer, 'outbound'>,
  store: Store,
  { clock = { now: Date.now }, limit = 20 }: { clock?: { now(): number }; limit?: number } = {},
): ClientDocuments & { readonly fetches: DocumentFetch[] } {
  const fetches: DocumentFetch[] = []
  const documents = new ClientDocuments({
    clock,
    hosts: { denied: [] },
    outbound,
    cache: new DocumentCache(store),
    copies: new DocumentCopies(store),
    limits: limitsOf(store, clock, limit),
    onFetch: (fetch) => fetches.push(fetch),
  })
  return Object.assign(documents, { fetches })
}

/** The limits of one process: of an address, thrice as much of an instance, 30 times as much of the process. */
export function limitsOf(store: Store, clock: { now(): number }, limit: number): LookUpLimits {
  const windowMs = HOUR_MS
  return new LookUpLimits({
    clock,
    limits: createRateLimits({
      store,
      clock,
      limits: { 'cimd-instance': { limit: 3 * limit, windowMs }, 'cimd-url': { limit, windowMs } },
      tooMany: (bucket, retryAfterS) => tooManyLookUps(bucket, retryAfterS),
    }),
    process: { limit: 30 * limit, windowMs },
  })
}

export function testInstance(domain: string): Instance {
  // What is looked at of an instance here.
  const instance = { id: domain.replaceAll('.', '-'), domain, aliases: [], isHttps: true }
  return { ...instance, subdomains: 'nested', origin: `https://${domain}` } as unknown as Instance
}

/** A way out at whose every address there is a document of that address. */
export function everywhereDocuments(redirectUri: string): Outbound {
  return {
    async request(url) {
      const document = documentAt(String(url), { redirect_uris: [redirectUri] })
      const headers = { 'content-type': 'application/json' }
      return { status: 200, headers, body: Buffer.from(JSON.stringify(document)) }
    },
  }
}

/** A way out that counts names and connections, and leads nowhere. */
export function closedWay(): Outbound & { readonly calls: string[] } {
  const calls: string[] = []
  const guard = createOutbound({
    lookup: async (name) => {
      calls.push(`lookup ${name}`)
      return []
    },
  })
  return {
    calls,
    request: (url, wanted) => {
      calls.push(`request ${String(url)}`)
      return guard.request(url, wanted)
    },
  }
}
