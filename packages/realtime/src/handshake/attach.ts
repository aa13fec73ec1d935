import type Http from 'node:http'
import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import type { OAuth } from '@svc/oauth-core'
import type { AttachOptions, UpgradeListener } from './attach-options.ts'
import { type Handshake, refuse } from './handshake.ts'

// An import would load Node's client for `fetch` with it, 13 MiB that a server may never use (0437).
const http: typeof Http = process.getBuiltinModule('node:http')

/** Servers whose upgrades are taken over. */
export class Attachments {
  readonly #handshake: Handshake
  readonly #oauth: Pick<OAuth, 'hasHost'>
  readonly #attached = new WeakSet<Server>()

  constructor(handshake: Handshake, oauth: Pick<OAuth, 'hasHost'>) {
    this.#handshake = handshake
    this.#oauth = oauth
  }

  /** Idempotent for a server. */
  attach(server: Server, { next }: AttachOptions): void {
    if (this.#attached.has(server)) return
    const listener: UpgradeListener = (request, socket, head) => {
      if (isOurs(request.url ?? '')) void this.#take(request, socket, head, next)
      else if (next !== undefined) next(request, socket, head)
      else if (server.listenerCount('upgrade') === 1) refuseUnknown(request, socket)
    }
    this.#attached.add(server)
    server.on('upgrade', listener)
  }

  /** A host that nobody has is whoever's comes next. */
  async #take(
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    next: UpgradeListener | undefined,
  ): Promise<void> {
    if (next !== undefined) {
      const destroy = (): void => void socket.destroy()
      socket.on('error', destroy)
      const isOurs = await this.#oauth.hasHost(request)
      socket.off('error', destroy)
      if (!isOurs) return next(request, socket, head)
    }
    await this.#handshake.handle(request, socket, head)
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
  const response = new http.ServerResponse(request)
  response.shouldKeepAlive = false
  response.statusCode = 404
  response.setHeader('X-Content-Type-Options', 'nosniff')
  refuse(response, socket, '')
}
