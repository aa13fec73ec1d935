import { once } from 'node:events'
import http, { type RequestListener } from 'node:http'
import https from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { afterTest } from '@svc/testkit'
import { limitConnections, type LimitConnectionsOptions } from '../../src/index.ts'
import { openClient, type RawClient, type RawClientOptions } from './raw-client.ts'

export type LimitedServer = Awaited<ReturnType<typeof startLimited>>

export interface LimitedServerOptions extends LimitConnectionsOptions {
  readonly tls?: { readonly key: string; readonly cert: string }
}

/** A server with the bounds, on 127.0.0.1; closed after the test. */
export async function startLimited(
  listener: RequestListener,
  { tls, ...options }: LimitedServerOptions = {},
) {
  const server = tls === undefined ? http.createServer(listener) : https.createServer(tls, listener)
  /** TCP sockets that are not destroyed. */
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  const log: Readonly<Record<string, unknown>>[] = []
  const limits = limitConnections(server, {
    log: { warn: (event, fields) => void log.push({ event, ...fields }) },
    ...options,
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A TCP server's address is an object; a string is only given for pipes.
  const { port } = server.address() as AddressInfo
  let closing: Promise<unknown> | undefined
  function close(): Promise<unknown> {
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    for (const socket of sockets) socket.destroy()
    return closed
  }
  /** A client whose connection the server knows of. */
  async function join(options?: Omit<RawClientOptions, 'isSecure'>): Promise<RawClient> {
    const [client] = await Promise.all([
      openClient(port, { ...options, isSecure: tls !== undefined }),
      once(server, 'connection'),
    ])
    return client
  }
  /** Such a client that has sent this. */
  async function say(text: string | Buffer): Promise<RawClient> {
    const client = await join()
    client.send(text)
    return client
  }
  const closeOnce = async (): Promise<void> => void (await (closing ??= close()))
  afterTest(closeOnce)
  return { server, port, limits, sockets, log, join, say, close: closeOnce }
}
