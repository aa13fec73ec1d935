import type Http from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { type OAuth, OAuthError } from '@svc/oauth-core'
import type { Instance } from '@svc/platform'
import { describeError } from '@svc/store'
import Koa, { type Context, type Middleware } from 'koa'
import type { WebSocket, WebSocketServer } from 'ws'
import type { Peer } from '../connection/identity.ts'
import { RealtimeError } from '../errors.ts'
import type { Admission, Admissions } from './admission.ts'
import { type FailedAuths, tooMany } from './failed-auths.ts'
import type { RealtimeLog } from '../log/log-events.ts'

// An import would load Node's client for `fetch` with it, 13 MiB that a server may never use (0437).
const http: typeof Http = process.getBuiltinModule('node:http')

export interface HandshakeOptions {
  readonly oauth: Pick<
    OAuth,
    'authenticateToken' | 'clientAddress' | 'instances' | 'resolveInstance'
  >
  readonly log: RealtimeLog
  readonly server: WebSocketServer
  readonly admissions: Admissions
  readonly failedAuths: FailedAuths
  /** Undefined: any. */
  readonly allowedOrigins: ReadonlySet<string> | undefined
  readonly isClosing: () => boolean
  readonly open: (socket: WebSocket, peer: Peer) => void
}

/** When a place may be free again, seconds: what is said to somebody who finds none. */
const FULL_RETRY_S = 10
/** How long a client may take to read a refusal. Milliseconds. */
const REFUSAL_MS = 10_000
const KEY = /^[+/0-9A-Za-z]{22}==$/
const VERSIONS: readonly unknown[] = ['8', '13']

interface Admitted {
  readonly admission: Admission
  readonly peer: Peer
}

/** Takes upgrade requests over. @see realtime.md 1 */
export class Handshake {
  readonly #options: HandshakeOptions
  /** Contexts only: nothing is mounted on it. */
  readonly #koa = new Koa()
  readonly #resolve: Middleware

  constructor(options: HandshakeOptions) {
    this.#options = options
    this.#resolve = options.oauth.resolveInstance()
  }

  /** Answers a refusal as the routes of the server do, and opens a websocket otherwise. */
  async handle(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const destroy = (): void => void socket.destroy()
    socket.on('error', destroy)
    const response = new http.ServerResponse(request)
    response.shouldKeepAlive = false
    let admitted: Admitted | undefined
    try {
      const ctx = this.#koa.createContext(request, response)
      await this.#resolve(ctx, async () => {
        admitted = await this.#admit(ctx)
      })
      if (admitted === undefined) answer(ctx, socket)
      else this.#open(request, socket, head, admitted)
    } catch (cause) {
      admitted?.admission.release()
      this.#options.log.error('realtime.handshake_failed', { cause: describeError(cause) })
      response.statusCode = 500
      refuse(response, socket, '')
    } finally {
      socket.off('error', destroy)
    }
  }

  /** @throws HttpError, answered by `resolveInstance` */
  async #admit(ctx: Context): Promise<Admitted> {
    const { oauth, admissions, failedAuths, allowedOrigins, isClosing } = this.#options
    // SPEC: decision D53 - on an app's host every path of the interface is 404.
    if (ctx.state['appSlug'] !== undefined) throw new OAuthError('not_found')
    if (isClosing()) throw new RealtimeError('shutting_down', { retryAfterS: 5 })
    checkUpgrade(ctx)
    const origin = ctx.get('Origin')
    if (origin !== '' && allowedOrigins?.has(origin) === false) throw new OAuthError('cross_origin')
    const instance = ctx.state['instance'] as Instance // Set by `resolveInstance`.
    const address = oauth.clientAddress(ctx)
    await failedAuths.check(instance, address)
    const admission = admissions.admit(instance.id, address)
    if (admission === undefined) throw tooMany(FULL_RETRY_S)
    return { admission, peer: this.#createPeer(ctx.req, instance, address, admission) }
  }

  #createPeer(
    request: IncomingMessage,
    instance: Instance,
    address: string,
    admission: Admission,
  ): Peer {
    const { oauth, failedAuths } = this.#options
    const koa = this.#koa
    return {
      instanceId: instance.id,
      async verify(token) {
        const current = await oauth.instances.byId(instance.id)
        if (current?.status !== 'active') throw new OAuthError('invalid_token')
        // A context of its own each time: what one look found out about the session is not to be remembered.
        const ctx = koa.createContext(request, new http.ServerResponse(request))
        ctx.state['instance'] = current
        return oauth.authenticateToken(ctx, token)
      },
      authenticated: () => admission.authenticated(),
      refused: () => void failedAuths.note(instance, address),
      gone: () => admission.release(),
    }
  }

  #open(request: IncomingMessage, socket: Duplex, head: Buffer, admitted: Admitted): void {
    const { server, open } = this.#options
    let isOpen = false
    server.handleUpgrade(request, socket, head, (websocket) => {
      isOpen = true
      open(websocket, admitted.peer)
    })
    // The library refused what was looked at before, or the client is gone.
    if (!isOpen) admitted.admission.release()
  }
}

/** @see RFC 6455 section 4.2.1 */
function checkUpgrade(ctx: Context): void {
  if (ctx.method !== 'GET') {
    throw new OAuthError('method_not_allowed', { headers: { Allow: 'GET' } })
  }
  const isSound =
    ctx.get('Upgrade').toLowerCase() === 'websocket' &&
    KEY.test(ctx.get('Sec-WebSocket-Key')) &&
    VERSIONS.includes(ctx.get('Sec-WebSocket-Version'))
  if (!isSound)
    throw new RealtimeError('unsupported_version', {
      headers: { 'Sec-WebSocket-Version': '13, 8' },
    })
}

/** Sends what `resolveInstance` made of the refusal. */
function answer(ctx: Context, socket: Duplex): void {
  refuse(ctx.res, socket, typeof ctx.body === 'string' ? ctx.body : '')
}

/** Ends the connection with a plain HTTP answer. */
export function refuse(response: ServerResponse, socket: Duplex, body: string): void {
  // An upgrade's socket is a net.Socket or a tls.TLSSocket, whatever its declared type.
  const connection = socket as Socket
  connection.on('error', () => connection.destroy())
  // The server's own time limits ended with the upgrade.
  connection.setTimeout(REFUSAL_MS, () => connection.destroy())
  response.assignSocket(connection)
  response.once('finish', () => socket.end(() => socket.destroy()))
  response.setHeader('Content-Length', Buffer.byteLength(body))
  response.end(body)
}
