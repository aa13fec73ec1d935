import { readFileSync } from 'node:fs'
import http from 'node:http'
import https from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import type { Config } from './config.ts'

/** A listener with limits on what one connection may cost. @see security.md 15, 22 */
const LIMITS = {
  connectionsCheckingInterval: 5000,
  headersTimeout: 15_000,
  insecureHTTPParser: false,
  keepAliveTimeout: 8000,
  maxHeaderSize: 16_384,
  requestTimeout: 30_000,
  requireHostHeader: true,
} satisfies http.ServerOptions

export interface ListenOptions {
  readonly port: number
  /** Absent: every address. */
  readonly host?: string
  readonly maxConnections?: number
  readonly tls?: Config['tls']
}

/** A listener that is up. */
export interface RunningServer {
  readonly port: number
  /**
   * Stops listening and closes idle connections; resolves once requests in flight are answered. Those that take
   * longer than `graceMs` are cut.
   */
  stop(graceMs: number): Promise<void>
}

/** Starts to serve. @throws Error of the system when the port is taken */
export async function startServer(
  handler: http.RequestListener,
  options: ListenOptions,
): Promise<RunningServer> {
  const server =
    options.tls === undefined
      ? http.createServer(LIMITS, handler)
      : https.createServer(
          {
            ...LIMITS,
            cert: readFileSync(options.tls.cert),
            key: readFileSync(options.tls.key),
            minVersion: 'TLSv1.2',
          },
          handler,
        )
  if (options.maxConnections !== undefined) server.maxConnections = options.maxConnections
  server.on('clientError', refuseClient)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port: options.port, host: options.host, exclusive: true }, resolve)
  })
  // A TCP server's address is an object; a string is only given for pipes.
  const { port } = server.address() as AddressInfo
  return { port, stop: (graceMs) => stopServer(server, graceMs) }
}

async function stopServer(server: http.Server | https.Server, graceMs: number): Promise<void> {
  // Answers to come say `Connection: close`, so that busy keep-alive connections end by themselves.
  server.prependListener('request', (_request, response) =>
    response.setHeader('Connection', 'close'),
  )
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  server.closeIdleConnections()
  const cut = setTimeout(() => server.closeAllConnections(), graceMs)
  await closed
  clearTimeout(cut)
}

const REFUSALS = new Map([
  ['ERR_HTTP_REQUEST_TIMEOUT', '408 Request Timeout'],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', '413 Payload Too Large'],
  ['HPE_HEADER_OVERFLOW', '431 Request Header Fields Too Large'],
])

/** What cannot be parsed gets one answer without any detail, then the connection ends (security.md 22). */
function refuseClient(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const status = REFUSALS.get(error.code ?? '') ?? '400 Bad Request'
  socket.end(
    `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\nContent-Type: text/plain; charset=utf-8\r\nX-Content-Type-Options: nosniff\r\n\r\n`,
  )
}
