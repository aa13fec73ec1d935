import http from 'node:http'
import https from 'node:https'
import net, { type AddressInfo } from 'node:net'
import type { TlsOptions } from 'node:tls'
import { afterTest } from '@svc/testkit'
import { createOutbound, type Outbound, type OutboundOptions } from '../../src/index.ts'

const MINUTE_MS = 60_000

/** A call to a server on loopback. */
export const GET = { method: 'GET', isTrusted: true } as const

/** Nothing listens there. */
export const NOBODY = { kind: 'unreachable', reason: 'ECONNREFUSED', isSent: false }

/** Calls that may go to loopback. */
export function trusting(options: OutboundOptions = {}): Outbound {
  return createOutbound({ trustedNetworks: ['127.0.0.0/8'], ...options })
}

export type TestServer = Awaited<ReturnType<typeof serve>>

/** Anything that accepts connections on 127.0.0.1; stopped with all of them after the test. */
async function serve(server: net.Server) {
  const sockets = new Set<net.Socket>()
  let connections = 0
  server.on('connection', (socket: net.Socket) => {
    connections += 1
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve())
      for (const socket of sockets) socket.destroy()
    })
  afterTest(close)
  // A TCP server's address is an object; a string is only given for pipes.
  const { port } = server.address() as AddressInfo
  return { port, url: `http://127.0.0.1:${port}/`, connections: () => connections, close }
}

export function serveHttp(listener: http.RequestListener): Promise<TestServer> {
  return serve(http.createServer(listener))
}

/** Keeps idle connections for a minute: it is the other side that closes them. */
export function servePatient(listener: http.RequestListener): Promise<TestServer> {
  return serve(http.createServer({ keepAliveTimeout: MINUTE_MS }, listener))
}

export function serveHttps(
  options: TlsOptions,
  listener: http.RequestListener,
): Promise<TestServer> {
  return serve(https.createServer(options, listener))
}

/** Bytes in place of HTTP. */
export function serveBytes(onConnection: (socket: net.Socket) => void): Promise<TestServer> {
  return serve(net.createServer(onConnection))
}
