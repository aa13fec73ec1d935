import { readFileSync } from 'node:fs'
import http from 'node:http'
import https from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { type Config, ConfigError } from './config.ts'

/** A listener with limits on what one connection may cost. @see security.md 15, 22 */
const LIMITS = {
  connectionsCheckingInterval: 5000,
  headersTimeout: 15_000,
  insecureHTTPParser: false,
  keepAliveTimeout: 8000,
  maxHeaderSize: 16_384,
  requestTimeout: 30_000,
  // The host resolver refuses a missing Host, with the headers of every other answer.
  requireHostHeader: false,
  // Any other protocol may be passed over (RFC 9110 7.8): the request is answered as it is.
  shouldUpgradeCallback: (request) => request.headers.upgrade?.toLowerCase() === 'websocket',
} satisfies http.ServerOptions

/** What every answer carries where the server is reached by https. @see security.md 4 */
export const HSTS = 'max-age=31536000; includeSubDomains'

export interface ListenOptions {
  readonly port: number
  /** Absent: every address. */
  readonly host?: string
  readonly maxConnections?: number
  readonly tls?: Config['tls']
  /** Reached by https, by itself or through a proxy. @defaultValue `false` */
  readonly isHttps?: boolean
}

/** A listener that is up. */
export interface RunningServer {
  readonly port: number
  /** For those who take upgrades over. */
  readonly server: http.Server
  /**
   * Stops listening and closes idle connections; resolves once requests in flight are answered. Those that take
   * longer than `graceMs` are cut.
   */
  stop(graceMs: number): Promise<void>
}

/**
 * Starts to serve.
 * @throws Error of the system when the port is taken, ConfigError when the certificate cannot be read
 */
export async function startServer(
  handler: http.RequestListener,
  options: ListenOptions,
): Promise<RunningServer> {
  const answers = new Set<http.ServerResponse>()
  let isStopping = false
  function listener(request: http.IncomingMessage, response: http.ServerResponse): void {
    answers.add(response)
    response.once('close', () => answers.delete(response))
    if (isStopping) response.setHeader('Connection', 'close')
    handler(request, response)
  }
  const server = createServer(options.tls, listener)
  // Node's own 417 is bare; an expectation that nobody knows may be passed over (RFC 9110 10.1.1).
  server.on('checkExpectation', listener)
  if (options.maxConnections !== undefined) server.maxConnections = options.maxConnections
  const headers = options.isHttps === true ? `Strict-Transport-Security: ${HSTS}\r\n` : ''
  server.on('clientError', (error, socket: Socket) => refuseClient(error, socket, headers))
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port: options.port, host: options.host, exclusive: true }, resolve)
  })
  // A TCP server's address is an object; a string is only given for pipes.
  const { port } = server.address() as AddressInfo

  async function stop(graceMs: number): Promise<void> {
    isStopping = true
    for (const answer of answers) {
      // The connection ends with the answer instead of waiting for a next request.
      if (!answer.headersSent) answer.setHeader('Connection', 'close')
    }
    const closed = new Promise<void>((resolve) => server.close(() => resolve()))
    server.closeIdleConnections()
    const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS)
    const cut = setTimeout(() => server.closeAllConnections(), graceMs)
    await closed
    clearInterval(sweep)
    clearTimeout(cut)
  }
  return { port, server, stop }
}

/** How often connections that became idle during a stop are closed, milliseconds. */
const SWEEP_MS = 100

function createServer(
  tls: Config['tls'],
  listener: http.RequestListener,
): http.Server | https.Server {
  if (tls === undefined) return http.createServer(LIMITS, listener)
  const cert = readPem(tls.cert, 'SVC_TLS_CERT')
  const key = readPem(tls.key, 'SVC_TLS_KEY')
  try {
    return https.createServer({ ...LIMITS, cert, key, minVersion: 'TLSv1.2' }, listener)
  } catch {
    throw new ConfigError(['SVC_TLS_CERT, SVC_TLS_KEY: not a certificate and its key'])
  }
}

function readPem(path: string, name: string): Buffer {
  try {
    return readFileSync(path)
  } catch {
    throw new ConfigError([`${name}: the file cannot be read`])
  }
}

const REFUSALS = new Map([
  ['ERR_HTTP_REQUEST_TIMEOUT', '408 Request Timeout'],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', '413 Payload Too Large'],
  ['HPE_HEADER_OVERFLOW', '431 Request Header Fields Too Large'],
])

/** What cannot be parsed gets one answer without any detail, then the connection ends (security.md 22). */
function refuseClient(error: NodeJS.ErrnoException, socket: Socket, headers: string): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const status = REFUSALS.get(error.code ?? '') ?? '400 Bad Request'
  socket.end(
    `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\nContent-Type: text/plain; charset=utf-8\r\nX-Content-Type-Options: nosniff\r\n${headers}\r\n`,
  )
}
