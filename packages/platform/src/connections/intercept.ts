import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Tells those who listen. True: somebody did. */
type Pass = () => boolean

/** What is asked before anybody who listens to the server hears of an event. */
export interface Interceptors {
  /** A client's TCP connection. */
  connection(socket: Socket, pass: Pass): boolean
  /** The TLS handshake on one is done. */
  secureConnection(socket: Socket, pass: Pass): boolean
  /** A request, whatever it expects. */
  request(request: IncomingMessage, response: ServerResponse, pass: Pass): boolean
  /** The socket is asked for by another protocol. */
  upgrade(request: IncomingMessage, socket: Socket, pass: Pass): boolean
}

/**
 * Stands between a server and all who listen to it, now and later. Node has no other place where a request can be held
 * back; tracing libraries stand here too.
 */
export function intercept(server: Server, interceptors: Interceptors): void {
  // A typed emitter has an overload for each event; here all of them pass.
  const emit = server.emit as (event: string | symbol, ...values: unknown[]) => boolean

  function interceptedEmit(event: string | symbol, ...values: unknown[]): boolean {
    const pass = (): boolean => emit.call(server, event, ...values)
    // Node's documented arguments of these events.
    const [first, second] = values as never[]
    switch (event) {
      case 'connection':
        return interceptors.connection(first as never, pass)
      case 'secureConnection':
        return interceptors.secureConnection(first as never, pass)
      case 'request':
      case 'checkContinue':
      case 'checkExpectation':
        return interceptors.request(first as never, second as never, pass)
      case 'upgrade':
      case 'connect':
        return interceptors.upgrade(first as never, second as never, pass)
      default:
        return pass()
    }
  }
  server.emit = interceptedEmit
}
