import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { WebSocket, WebSocketServer } from 'ws'
import type { Answered } from '../model/evidence.ts'
import type { Header, SentRequest } from '../model/exchange.ts'
import { Budget, UNLIMITED } from '../net/budget.ts'
import { type ConnectTo, lookupLoopback, Wire } from '../net/wire.ts'
import { LABEL_HEADER } from '../net/wire.ts'
import type { Breaking } from './break.ts'

const HOP_BY_HOP = /^(connection|keep-alive|transfer-encoding|content-length|upgrade)$/i
const CONCURRENCY = 64

/** Stands between the runner and a good server, and breaks one thing of it. */
export class BreakingProxy {
  readonly #server: Server
  readonly #wire: Wire
  readonly #sockets = new WebSocketServer({
    noServer: true,
    handleProtocols: (_offered, request) => this.#chosen.get(request) ?? false,
  })
  readonly #chosen = new WeakMap<IncomingMessage, string>()
  #breaking: Breaking = {}
  /** How many answers and frames of this break are others than the server gave. */
  #broken = 0

  private constructor(connectTo: readonly ConnectTo[]) {
    this.#wire = new Wire({ budget: new Budget(UNLIMITED), concurrency: CONCURRENCY, connectTo })
    this.#server = createServer((incoming, outgoing) => {
      this.#pass(incoming, outgoing).catch(() => outgoing.destroy())
    })
    this.#server.on('upgrade', (incoming, socket, head) => {
      this.#connect(incoming, socket, head).catch(() => socket.destroy())
    })
  }

  /** @param connectTo - where the good server is */
  static async start(connectTo: readonly ConnectTo[]): Promise<BreakingProxy> {
    const proxy = new BreakingProxy(connectTo)
    proxy.#server.listen(0, '127.0.0.1')
    await once(proxy.#server, 'listening')
    return proxy
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port // it listens on an address
  }

  get broken(): number {
    return this.#broken
  }

  /** From now on the server breaks this, and nothing else. */
  use(breaking: Breaking): void {
    this.#breaking = breaking
    this.#broken = 0
  }

  async close(): Promise<void> {
    this.#wire.close()
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }

  async #pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { label, request } = await readRequest(incoming)
    const { answer, ...exchange } = await this.#wire.forward(request)
    if (answer === undefined) throw new Error(exchange.fault)
    const given = await this.#answerOf({ ...exchange, label, answer })
    const headers = given.headers.filter(([name]) => !HOP_BY_HOP.test(name)).flat()
    outgoing.writeHead(given.status, headers)
    outgoing.end(request.method === 'HEAD' ? undefined : given.body)
  }

  async #answerOf(exchange: Answered): Promise<Answered['answer']> {
    const given = (await this.#breaking.answer?.(exchange)) ?? exchange.answer
    if (given !== exchange.answer) this.#broken++
    return given
  }

  async #connect(incoming: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const { label, request } = await readRequest(incoming)
    const url = new URL(request.url.replace(/^http/, 'ws'))
    const host = url.host
    const { hostname, port } = this.#wire.target(new URL(request.url))
    url.hostname = hostname
    url.port = port
    const offered = (incoming.headers['sec-websocket-protocol'] ?? '').split(/,\s*/)
    const upstream = new WebSocket(
      url,
      offered.filter((one) => one !== ''),
      {
        headers: { ...ofBrowser(incoming), Host: host },
        lookup: lookupLoopback,
        perMessageDeflate: false,
      },
    )
    const early: string[] = []
    const keep = (data: unknown): void => void early.push(String(data))
    upstream.on('message', keep)
    const status = await statusOf(upstream)
    const answer = { status, headers: [], body: '' }
    const given = await this.#answerOf({ label, request, at: 0, ms: 0, answer })
    if (given.status !== 101) {
      upstream.terminate()
      socket.end(
        `HTTP/1.1 ${given.status} Refused\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
      )
      return
    }
    const protocol = this.#breaking.protocol?.(upstream.protocol) ?? upstream.protocol
    if (protocol !== upstream.protocol) this.#broken++
    this.#chosen.set(incoming, protocol)
    this.#sockets.handleUpgrade(incoming, socket, head, (client) => {
      upstream.off('message', keep)
      this.#join(label, client, upstream, early)
    })
  }

  #join(label: string, client: WebSocket, upstream: WebSocket, early: readonly string[]): void {
    const { opening, frame, closes } = this.#breaking
    const give = (text: string): void => {
      const frames = frame?.(label, text) ?? [text]
      if (frames.length !== 1 || frames[0] !== text) this.#broken++
      for (const one of frames) client.send(one)
    }
    for (const one of opening?.(label) ?? []) {
      this.#broken++
      client.send(one)
    }
    for (const text of early) give(text)
    const when = closes?.(label)
    if (when !== undefined) this.#broken++
    upstream.on('message', (data) => give(String(data)))
    upstream.on('close', (code, reason) => {
      if (when === 'never') return
      if (isSendable(code)) client.close(code, reason)
      else client.terminate()
    })
    client.on('message', (data, isBinary) => {
      if (upstream.readyState === WebSocket.OPEN) upstream.send(data, { binary: isBinary })
    })
    client.on('close', () => upstream.terminate())
    // What breaks is closed; nothing else is to be done.
    client.on('error', () => {})
    if (when === 'at once') client.close(1000)
    if (upstream.readyState !== WebSocket.OPEN && when !== 'never') client.terminate()
  }
}

/** 101 when it opens. */
async function statusOf(upstream: WebSocket): Promise<number> {
  return new Promise((resolve, reject) => {
    upstream.once('open', () => resolve(101))
    upstream.once('unexpected-response', (_request, response) => {
      resolve(response.statusCode ?? 502)
      response.destroy()
    })
    upstream.on('error', reject)
  })
}

/** Codes that may stand in a close frame. */
function isSendable(code: number): boolean {
  return (code >= 1000 && code <= 1014 && ![1004, 1005, 1006].includes(code)) || code >= 3000
}

function ofBrowser({ headers }: IncomingMessage): Record<string, string> {
  const names = ['cookie', 'origin', 'authorization', 'user-agent'] as const
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = headers[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

async function readRequest(
  incoming: IncomingMessage,
): Promise<{ readonly label: string; readonly request: SentRequest }> {
  const { method = 'GET', url = '/', rawHeaders } = incoming
  const headers: Header[] = []
  let label = ''
  let host = ''
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = rawHeaders.slice(at, at + 2)
    if (name.toLowerCase() === LABEL_HEADER) label = value
    else if (!HOP_BY_HOP.test(name)) headers.push([name, value])
    if (name.toLowerCase() === 'host') host = value
  }
  const chunks: Buffer[] = []
  if (incoming.headers.upgrade === undefined) {
    for await (const chunk of incoming) chunks.push(chunk as Buffer) // no encoding was set
  }
  const body = Buffer.concat(chunks).toString()
  return {
    label,
    request: { method, url: `http://${host}${url}`, headers, ...(body !== '' && { body }) },
  }
}
