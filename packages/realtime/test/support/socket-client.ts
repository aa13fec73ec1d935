import type { IncomingHttpHeaders } from 'node:http'
import { timeBudget } from '@svc/testkit'
import { WebSocket } from 'ws'

export interface ConnectOptions {
  /** @defaultValue `alice.example.com` */
  readonly host?: string
  /** @defaultValue `/realtime/` */
  readonly path?: string
  readonly protocols?: readonly string[]
  readonly headers?: Readonly<Record<string, string>>
  readonly autoPong?: boolean
}

/** How a connection ended. */
export interface Closing {
  readonly code: number
  readonly reason: string
}

/** A handshake that was refused. */
export class RefusedHandshake extends Error {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string

  constructor(status: number, headers: IncomingHttpHeaders, body: string) {
    super(`the handshake was answered ${status} ${body}`)
    this.status = status
    this.headers = headers
    this.body = body
  }
}

export type SocketClient = ReturnType<typeof wrap>

/** @throws RefusedHandshake */
export function connectSocket(port: number, options: ConnectOptions = {}): Promise<SocketClient> {
  const { host = 'alice.example.com', path = '/realtime/', protocols = [], autoPong } = options
  const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, [...protocols], {
    headers: { host, ...options.headers },
    perMessageDeflate: false,
    ...(autoPong === undefined ? {} : { autoPong }),
  })
  return new Promise((resolve, reject) => {
    const client = wrap(socket)
    socket.once('open', () => resolve(client))
    socket.once('unexpected-response', (_request, response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.once('end', () => {
        const body = Buffer.concat(chunks).toString()
        reject(new RefusedHandshake(response.statusCode ?? 0, response.headers, body))
        socket.terminate()
      })
    })
    socket.on('error', reject)
  })
}

/** The refusal of a handshake that must not succeed. */
export async function refusal(connecting: Promise<SocketClient>): Promise<RefusedHandshake> {
  try {
    const client = await connecting
    client.terminate()
  } catch (error) {
    if (error instanceof RefusedHandshake) return error
    throw error
  }
  throw new Error('the handshake succeeded')
}

/** The frame of an error. */
export function errorFrame(status: string, code: string, title: string, source: unknown): unknown {
  return { event: 'error', payload: { status, code, title, source } }
}

export const UNAUTHORIZED = errorFrame(
  '401 Unauthorized',
  'unauthorized',
  'The authentication has failed',
  { method: 'AUTH' },
)
/** How a connection ends whose token is none, or none any more. */
export const FAILED: Closing = { code: 1008, reason: 'authentication failed' }

/** The error of a subscription that no permission covers. */
export function forbidden(payload: { readonly type: string; readonly id?: string }): unknown {
  const title = `The application can't subscribe to ${payload.type}`
  return errorFrame('403 Forbidden', 'forbidden', title, { method: 'SUBSCRIBE', payload })
}

/** A websocket client that notes everything it gets. */
function wrap(socket: WebSocket) {
  const received: unknown[] = []
  let wake: (() => void) | undefined
  let ending: Closing | undefined
  const closed = new Promise<Closing>((resolve) => {
    socket.once('close', (code, reason) => {
      ending = { code, reason: reason.toString() }
      resolve(ending)
      wake?.()
    })
  })
  socket.on('message', (data) => {
    received.push(JSON.parse(String(data)))
    wake?.()
  })

  /** The next message. @throws Error when none comes in time, or the connection ends first */
  async function next(): Promise<unknown> {
    if (received.length === 0 && ending === undefined) await somethingHappens()
    const message = received.shift()
    if (message === undefined) throw new Error(`no message: ${JSON.stringify(ending)}`)
    return message
  }

  function somethingHappens(): Promise<void> {
    return new Promise((resolve, reject) => {
      const budgetMs = timeBudget(5000)
      const timer = setTimeout(
        () => reject(new Error(`nothing came within ${budgetMs} ms`)),
        budgetMs,
      )
      wake = () => {
        clearTimeout(timer)
        wake = undefined
        resolve()
      }
    })
  }

  /** Sends JSON; a text goes as it is. */
  function send(message: unknown): void {
    socket.send(typeof message === 'string' ? message : JSON.stringify(message))
  }

  function subscribe(type: string, id?: string): void {
    send({ method: 'SUBSCRIBE', payload: { type, ...(id !== undefined && { id }) } })
  }

  let marks = 0
  /** What came until everything sent so far was worked on. */
  async function settled(): Promise<readonly unknown[]> {
    marks += 1
    const method = `mark-${marks}`
    send({ method })
    const before: unknown[] = []
    for (;;) {
      const message = (await next()) as { payload: { source?: { method?: string } | null } }
      if (message.payload.source?.method === method) return before
      before.push(message)
    }
  }

  /** Subscribes; what came until that was done. */
  function follow(type: string, id?: string): Promise<readonly unknown[]> {
    subscribe(type, id)
    return settled()
  }

  const terminate = (): void => socket.terminate()
  return { raw: socket, closed, send, subscribe, follow, next, settled, terminate }
}
