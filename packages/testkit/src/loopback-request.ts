import http from 'node:http'
import https from 'node:https'
import { timeBudget } from './time-budget.ts'

/** Where requests really go: every name resolves to 127.0.0.1, both schemes to a plain port unless there is `tls`. */
export interface LoopbackMap {
  /** Port of every host that `hosts` does not name. */
  readonly port: number
  /** Other ports by host name (without port), for a second server in one test. */
  readonly hosts?: Readonly<Record<string, number>>
  /** The port speaks TLS, with certificates of this authority (PEM). */
  readonly tls?: { readonly ca: string }
  /** Where connections come from, such as 127.0.0.5. */
  readonly localAddress?: string
}

export interface RawRequest {
  readonly method: string
  readonly url: URL
  /** Sent as given; an array repeats the header. `host` defaults to the URL's. */
  readonly headers?: http.OutgoingHttpHeaders
  readonly body?: string | Uint8Array
  /** Sent instead of the URL's path and query, byte for byte. */
  readonly target?: string
  /** What the whole exchange takes at most on a quiet machine. Milliseconds. @defaultValue `10_000` */
  readonly timeoutMs?: number
}

export interface RawResponse {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  /** Header names and values alternating, as received. */
  readonly rawHeaders: readonly string[]
  readonly body: Buffer
}

/**
 * How long an idle connection is used again, milliseconds: far less than servers keep it. A request that is sent when its
 * server ends the connection is answered with a reset, and a busy test may choose one shortly before.
 */
const IDLE_MS = 1000

/** Keeps connections open between requests, of the kind that the map asks for. */
export function loopbackAgent({ tls }: LoopbackMap): http.Agent {
  const options = { keepAlive: true, timeout: IDLE_MS }
  return tls === undefined ? new http.Agent(options) : new https.Agent({ ...options, ca: tls.ca })
}

/** The loopback port that stands for a host name. */
export function loopbackPort(map: LoopbackMap, hostname: string): number {
  return map.hosts?.[hostname] ?? map.port
}

/** One HTTP/1.1 exchange with the loopback server that stands for the URL's host. */
export function requestLoopback(
  map: LoopbackMap,
  agent: http.Agent,
  request: RawRequest,
): Promise<RawResponse> {
  const { url, timeoutMs = 10_000 } = request
  return new Promise((resolve, reject) => {
    const sent = (map.tls === undefined ? http : https).request(
      {
        host: '127.0.0.1',
        ...(map.tls !== undefined && { servername: url.hostname }),
        ...(map.localAddress !== undefined && { localAddress: map.localAddress }),
        port: loopbackPort(map, url.hostname),
        agent,
        method: request.method,
        path: request.target ?? url.pathname + url.search,
        headers: { host: url.host, ...request.headers },
        signal: AbortSignal.timeout(timeBudget(timeoutMs)),
      },
      (answer) => {
        const chunks: Buffer[] = []
        answer.on('data', (chunk: Buffer) => chunks.push(chunk))
        answer.once('error', reject)
        answer.once('end', () =>
          resolve({
            // Always present on a response.
            status: answer.statusCode as number,
            headers: answer.headers,
            rawHeaders: answer.rawHeaders,
            body: Buffer.concat(chunks),
          }),
        )
      },
    )
    sent.once('error', (cause) =>
      reject(new Error(`${request.method} ${url.href}: ${cause.message}`, { cause })),
    )
    sent.end(request.body)
  })
}
