import type { Server } from 'node:http'
import { Server as HttpsServer } from 'node:https'
import type { Socket } from 'node:net'
import { SECOND_MS } from '../durations.ts'
import { AddressCounter } from './address-counter.ts'
import { type ConnectionBounds, resolveBounds } from './bounds.ts'
import { Connection } from './connection.ts'
import { connectionsThatFit } from './descriptor-limit.ts'
import { FollowUps } from './follow-ups.ts'
import { Handshakes } from './handshakes.ts'
import { intercept } from './intercept.ts'
import { Pressure } from './pressure.ts'
import { refuseClient } from './refuse-client.ts'
import { type RefusalLog, type RefusalReason, Refusals } from './refusals.ts'

/**
 * Bounds of the connections of a server, each with its default, and where refusals are told.
 * @see docs/embedding.md of the repository
 * @example
 * limitConnections(server, { log, refusalHeaders: { 'strict-transport-security': 'max-age=31536000' } })
 */
export interface LimitConnectionsOptions extends Partial<ConnectionBounds> {
  /** Is told `connection.refused`, at most once a minute and reason, with a count. */
  readonly log?: RefusalLog
  /** More headers of the server's own refusals, such as `Strict-Transport-Security`. */
  readonly refusalHeaders?: Readonly<Record<string, string>>
}

/** What a listener has open, and whom it refused. */
export interface ConnectionFigures {
  /** `active`: a request is answered; `upgraded`: a websocket has it; `idle`: the others. */
  readonly open: Readonly<Record<'active' | 'idle' | 'upgraded', number>>
  /** Since the start. */
  readonly refused: Readonly<Record<RefusalReason, number>>
}

/** The bounds of a listener at work. */
export interface ConnectionLimits {
  figures(): ConnectionFigures
  /** Cuts all that is open, for a server that stops: handshakes and websockets too, which Node leaves alone. */
  destroyAll(): void
}

/** The code that Node's parser has for it, in the versions that refuse it themselves. */
const TOO_MANY_HEADERS = 'HPE_HEADER_OVERFLOW'
/** How often Node looks for requests that do not come to their end. Milliseconds. */
const CHECK_MS = SECOND_MS

/**
 * Bounds what the connections of a server may cost, so that no visitor slows others down: clients that are silent or
 * slow, that do not read their answers or send many requests ahead, and one address that wants all connections. A client
 * that reads its answers and sends one request after the other never meets a bound.
 *
 * Call it once, before the server listens or in the same turn. Answers that are silent on purpose for longer than
 * `silenceMs`, such as event streams, call `request.socket.setTimeout(0)`.
 * @param server - of `node:http` or `node:https`, whoever listens to it
 * @throws TypeError for options that are unknown or out of range
 * @example
 * ```ts
 * limitConnections(app.listen(8080))
 * ```
 */
export function limitConnections(
  server: Server,
  options: LimitConnectionsOptions = {},
): ConnectionLimits {
  const { log, refusalHeaders = {}, ...given } = options
  const resolved = resolveBounds(given)
  const bounds = { ...resolved, connections: Math.min(resolved.connections, connectionsThatFit()) }
  const headers = Object.entries(refusalHeaders).map(([name, value]) => `${name}: ${value}\r\n`)
  const isSecure = server instanceof HttpsServer
  const refusals = new Refusals(log)
  const transports = new Set<Socket>()
  const connections = new Map<Socket, Connection>()
  const addresses = new AddressCounter(perAddress(bounds))
  const handshakes = new Handshakes(bounds.handshakeMs, () => refusals.note('slow_headers'))
  const followUps = new FollowUps()
  const pressure = new Pressure(server, bounds, () => {
    for (const connection of connections.values()) connection.announceEnd()
  })

  function follow(socket: Socket, transport: Socket): void {
    const connection = new Connection({
      socket,
      transport,
      bounds,
      isPressed: () => pressure.isOn,
      onOverflow: () => refusals.note('pipeline'),
      followUps,
    })
    connections.set(socket, connection)
    socket.once('close', () => connections.delete(socket))
  }

  function refuse(socket: Socket, code: string | undefined): void {
    const connection = connections.get(socket)
    if (connection !== undefined) {
      const reason = refuseClient(connection, code, headers.join(''))
      if (reason !== undefined) refusals.note(reason)
      return
    }
    // No TLS, or none that both sides know.
    if (isSecure && code !== 'ECONNRESET') refusals.note('malformed')
    socket.destroy()
  }

  function onSilence(socket: Socket): void {
    const { request, response } = connections.get(socket)?.current ?? {}
    // Whoever waits for it itself decides.
    if (request?.listenerCount('timeout') || response?.listenerCount('timeout')) return
    if (request?.complete === false) refuse(socket, 'ERR_HTTP_REQUEST_TIMEOUT')
    // What waits to be taken is the sweep's: below TLS Node does not see what moves.
    else if (socket.writableLength > 0) socket.setTimeout(bounds.silenceMs)
    else socket.destroy()
  }

  function sweep(): void {
    const now = performance.now()
    for (const connection of connections.values()) {
      if (!connection.isTooSlow(now)) continue
      refusals.note('slow_reader')
      connection.destroy()
    }
  }

  intercept(server, {
    connection(socket, pass) {
      followUps.somebodyCame()
      const release = addresses.admit(socket)
      if (release === undefined) {
        refusals.note('address')
        socket.destroy()
        return true
      }
      transports.add(socket)
      pressure.opened()
      socket.once('close', () => {
        transports.delete(socket)
        pressure.closed()
        release()
      })
      if (isSecure) handshakes.began(socket)
      const isHeard = pass()
      if (!isSecure) follow(socket, socket)
      return isHeard
    },
    secureConnection(socket, pass) {
      const transport = handshakes.ended(socket) ?? socket
      const isHeard = pass()
      follow(socket, transport)
      return isHeard
    },
    request(request, response, pass) {
      const connection = connections.get(request.socket)
      if (connection === undefined) return pass()
      if (request.rawHeaders.length > 2 * bounds.headerLines) {
        refuse(request.socket, TOO_MANY_HEADERS)
        return true
      }
      connection.take({ request, response, handle: pass })
      return true
    },
    upgrade(_request, socket, pass) {
      const connection = connections.get(socket)
      if (connection === undefined || connection.upgrade()) return pass()
      if (!connection.isOver) refusals.note('pipeline')
      connection.destroy()
      return true
    },
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) =>
    refuse(socket, error.code),
  )
  server.on('timeout', onSilence)
  server.on('drop', () => refusals.note('total'))
  const sweeping = setInterval(sweep, bounds.sweepMs).unref()
  server.once('close', () => {
    clearInterval(sweeping)
    refusals.flush()
  })
  applyBounds(server, bounds)

  return {
    figures() {
      const open = { active: 0, idle: 0, upgraded: 0 }
      for (const { state } of connections.values()) open[state] += 1
      return { open, refused: { ...refusals.counts } }
    },
    destroyAll() {
      for (const socket of transports) socket.destroy()
    },
  }
}

/** One address never has more than half of all: others always find a place beside it. */
function perAddress({ connections, connectionsPerAddress }: ConnectionBounds): number {
  if (connectionsPerAddress === 0) return 0
  return Math.max(1, Math.min(connectionsPerAddress, Math.floor(connections / 2)))
}

/** Node reads all of these when they are needed, the types of some notwithstanding. */
function applyBounds(server: Server, bounds: ConnectionBounds): void {
  Object.assign(server, {
    connectionsCheckingInterval: CHECK_MS,
    headersTimeout: bounds.headersMs,
    insecureHTTPParser: false,
    keepAliveTimeout: bounds.idleMs,
    maxConnections: bounds.connections,
    maxHeaderSize: bounds.headerBytes,
    // One more, so that it is seen: some versions leave further lines away without a word.
    maxHeadersCount: bounds.headerLines + 1,
    requestTimeout: bounds.requestMs,
    timeout: bounds.silenceMs,
  })
}
