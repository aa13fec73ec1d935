import type Http from 'node:http'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type Koa from 'koa'
import { type ConnectionLimits, limitConnections } from '@svc/platform'
import type { Config } from '../config/config.ts'
import type { HostLog } from '../log/log.ts'
import { quietMoment } from './quiet-moment.ts'
import { followCertificate, readCertificate } from './tls-certificate.ts'

// An import would load Node's client for `fetch` with it, 13 MiB that a server may never use (0437).
const http: typeof Http = process.getBuiltinModule('node:http')

const OPTIONS = {
  insecureHTTPParser: false,
  // The host resolver refuses a missing Host, with the headers of every other answer.
  requireHostHeader: false,
  // Any other protocol may be passed over (RFC 9110 7.8): the request is answered as it is.
  shouldUpgradeCallback: (request) => request.headers.upgrade?.toLowerCase() === 'websocket',
} satisfies Http.ServerOptions

/**
 * What answers of no instance carry where the server is reached by https: who is behind the names below an unknown host is
 * not known. @see security.md 4
 */
export const HSTS = 'max-age=31536000'

export interface ListenOptions {
  readonly port: number
  /** Absent: every address. */
  readonly host?: string
  /** In all. */
  readonly connections?: number
  /** Of one client address; 0: as many as it likes. */
  readonly connectionsPerAddress?: number
  readonly tls?: Config['tls']
  /** @defaultValue nobody is told */
  readonly log?: Pick<HostLog, 'error' | 'info' | 'warn'>
  /** Reached by https, by itself or through a proxy. @defaultValue `false` */
  readonly isHttps?: boolean
}

/** A listener that is up. */
export interface RunningServer {
  readonly port: number
  /** For those who take upgrades over. */
  readonly server: Http.Server
  readonly limits: ConnectionLimits
  /** Reads the files of the certificate again. */
  reload(): void
  /** Resolves once it does not listen any more, and nothing is open. */
  stop(times: StopTimes): Promise<void>
}

/** How a listener ends. Milliseconds since it was told to. */
export interface StopTimes {
  /** Until then new connections are taken, and idle ones stay; every answer ends its connection from the beginning. */
  readonly drainMs: number
  /** Requests that are not answered by then are cut. */
  readonly cutMs: number
}

/**
 * Starts to serve.
 * @throws Error of the system when the port is taken, ConfigError when the certificate cannot be read
 */
export async function startServer(
  handler: Http.RequestListener,
  options: ListenOptions,
): Promise<RunningServer> {
  const answers = new Set<Http.ServerResponse>()
  let isStopping = false
  function listener(request: Http.IncomingMessage, response: Http.ServerResponse): void {
    answers.add(response)
    response.once('close', () => answers.delete(response))
    if (isStopping) response.setHeader('Connection', 'close')
    handler(request, response)
  }
  const { server, reload, unfollow } = createServer(options, listener)
  // Node's own 417 is bare; an expectation that nobody knows may be passed over (RFC 9110 10.1.1).
  server.on('checkExpectation', listener)
  const { log, connections, connectionsPerAddress } = options
  const limits = limitConnections(server, {
    ...(log !== undefined && { log }),
    ...(connections !== undefined && { connections }),
    ...(connectionsPerAddress !== undefined && { connectionsPerAddress }),
    ...(options.isHttps === true && { refusalHeaders: { 'Strict-Transport-Security': HSTS } }),
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port: options.port, host: options.host, exclusive: true }, resolve)
  })
  // A TCP server's address is an object; a string is only given for pipes.
  const { port } = server.address() as AddressInfo

  async function stop({ drainMs, cutMs }: StopTimes): Promise<void> {
    isStopping = true
    for (const answer of answers) {
      // The connection ends with the answer instead of waiting for a next request.
      if (!answer.headersSent) answer.setHeader('Connection', 'close')
    }
    if (drainMs > 0) {
      await pause(drainMs)
      // The other half is left to requests that came at its end.
      await quietMoment(server, Math.max(0, cutMs - drainMs) / 2)
    }
    unfollow()
    const closed = new Promise<void>((resolve) => server.close(() => resolve()))
    server.closeIdleConnections()
    const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS)
    const cut = setTimeout(() => limits.destroyAll(), Math.max(0, cutMs - drainMs))
    await closed
    clearInterval(sweep)
    clearTimeout(cut)
  }
  return { port, server, limits, reload, stop }
}

/** How often connections that became idle during a stop are closed, milliseconds. */
const SWEEP_MS = 100

interface BareServer {
  readonly server: Http.Server
  readonly reload: () => void
  /** The files of the certificate may change from now on. */
  readonly unfollow: () => void
}

function createServer(
  { tls, log }: Pick<ListenOptions, 'log' | 'tls'>,
  listener: Http.RequestListener,
): BareServer {
  if (tls === undefined) {
    const server = http.createServer(OPTIONS, listener)
    return { server, reload: () => {}, unfollow: () => {} }
  }
  const server = https.createServer({ ...OPTIONS, ...readCertificate(tls) }, listener)
  const { reload, close } = followCertificate(server, tls, log)
  return { server, reload, unfollow: close }
}

/** Answers what Koa must not see: a target that it cannot parse (security.md 0: `ctx.path` throws on it). */
export function toListener(koa: Koa, isHttps = false): Http.RequestListener {
  const handle = koa.callback()
  return function listener(request, response) {
    const target = request.url ?? ''
    if (target.startsWith('/') || URL.canParse(target)) void handle(request, response)
    else refuseTarget(response, isHttps)
  }
}

function refuseTarget(response: Http.ServerResponse, isHttps: boolean): void {
  response.writeHead(400, {
    'Content-Type': 'text/plain; charset=utf-8',
    'X-Content-Type-Options': 'nosniff',
    ...(isHttps && { 'Strict-Transport-Security': HSTS }),
    Connection: 'close',
  })
  response.end('Bad Request')
}
