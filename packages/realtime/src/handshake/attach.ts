import { type IncomingMessage, type Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { type Handshake, refuse } from './handshake.ts'

type Listener = (request: IncomingMessage, socket: Duplex, head: Buffer) => void

/** Servers whose upgrades are taken over. */
export class Attachments {
  readonly #handshake: Handshake
  readonly #attached = new WeakSet<Server>()

  constructor(handshake: Handshake) {
    this.#handshake = handshake
  }

  /** Idempotent for a server. */
  attach(server: Server): void {
    if (this.#attached.has(server)) return
    const listener: Listener = (request, socket, head) => {
      if (isOurs(request.url ?? '')) void this.#handshake.handle(request, socket, head)
      else if (server.listenerCount('upgrade') === 1) refuseUnknown(request, socket)
    }
    this.#attached.add(server)
    server.on('upgrade', listener)
  }
}

function isOurs(target: string): boolean {
  const path = target.startsWith('/') ? target.split('?', 1)[0] : pathOfUrl(target)
  return path === '/realtime/' || path === '/realtime'
}

function pathOfUrl(target: string): string | undefined {
  return URL.canParse(target) ? new URL(target).pathname : undefined
}

/** Nobody listens to upgrades of this path. */
function refuseUnknown(request: IncomingMessage, socket: Duplex): void {
  const response = new ServerResponse(request)
  response.shouldKeepAlive = false
  response.statusCode = 404
  response.setHeader('X-Content-Type-Options', 'nosniff')
  refuse(response, socket, '')
}
