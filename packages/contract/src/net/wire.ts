import { request as httpRequest, Agent as HttpAgent, type IncomingMessage } from 'node:http'
import { request as httpsRequest, Agent as HttpsAgent } from 'node:https'
import type { LookupFunction } from 'node:net'
import type { Answer, Exchange, Header, SentRequest } from '../model/exchange.ts'
import { type Budget, NotSent } from './budget.ts'
import { Slots } from './slots.ts'

/** `host:port:address:port`, as curl has it. */
export interface ConnectTo {
  readonly host: string
  readonly port: string
  readonly toHost: string
  readonly toPort: string
}

export interface WireOptions {
  readonly budget: Budget
  /** Requests that are under way at most. */
  readonly concurrency: number
  readonly connectTo?: readonly ConnectTo[]
  /** Certificates of authorities beside the known ones; PEM. */
  readonly ca?: string
  /** Milliseconds that an answer may take. */
  readonly timeoutMs?: number
  /** Whether each request says its label, for the proxy of the self-test; no server is sent it. */
  readonly isLabelled?: boolean
  /** Once it is aborted nothing more is sent. */
  readonly signal?: AbortSignal
}

/** Tells the proxy of the self-test which exchange a request is of. */
export const LABEL_HEADER = 'x-contract-label'
const TIMEOUT_MS = 15_000
/** Servers of Node end a connection after 5 idle seconds; one that is used again just then is reset. */
const IDLE_MS = 4000
const MAX_BODY = 2 * 1024 * 1024

/** Sends requests as they are given, and keeps every exchange. */
export class Wire {
  readonly exchanges: Exchange[] = []
  readonly #options: WireOptions
  readonly #slots: Slots
  readonly #begun = performance.now()
  readonly #labels = new Map<string, number>()
  #stopped: string | undefined
  readonly #http = new HttpAgent({ keepAlive: true, timeout: IDLE_MS })
  readonly #https: HttpsAgent

  constructor(options: WireOptions) {
    this.#options = options
    this.#slots = new Slots(options.concurrency)
    const { ca } = options
    this.#https = new HttpsAgent({ keepAlive: true, timeout: IDLE_MS, ...(ca && { ca }) })
  }

  /** Sends it, follows nothing, and records what came. @throws NotSent */
  async send(label: string, request: SentRequest): Promise<Exchange> {
    return this.hold(request, async () => {
      const exchange = await this.#ask(this.#uniqueLabel(label), request)
      this.exchanges.push(exchange)
      return exchange
    })
  }

  /** Sends it without keeping anything. */
  forward(request: SentRequest): Promise<Exchange> {
    return this.hold(request, () => this.#ask('', request))
  }

  async #ask(label: string, request: SentRequest): Promise<Exchange> {
    const at = performance.now()
    const outcome = await this.#exchange(request, this.labelHeaders(label)).then(
      (answer) => ({ answer }),
      (error: unknown) => ({ fault: error instanceof Error ? error.message : String(error) }),
    )
    return {
      label,
      at: Math.round(at - this.#begun),
      ms: Math.round(performance.now() - at),
      request,
      ...outcome,
    }
  }

  /** What tells the label to the proxy of the self-test. */
  labelHeaders(label: string): Readonly<Record<string, string>> {
    return this.#options.isLabelled === true ? { [LABEL_HEADER]: label } : {}
  }

  /** Counts what is sent another way, such as by a browser. @throws NotSent */
  count(request: SentRequest): void {
    if (this.#options.signal?.aborted === true) throw new NotSent('the run was ended')
    if (this.#stopped !== undefined) throw new NotSent(this.#stopped)
    this.#options.budget.countRequest(request)
  }

  /** Sends something another way, as one of those that are under way. @throws as `count` does */
  async hold<T>(request: SentRequest, work: () => Promise<T>): Promise<T> {
    return this.#slots.run(() => {
      this.count(request)
      return work()
    })
  }

  /** Keeps what came another way, such as a mail. */
  keep(exchange: Omit<Exchange, 'at' | 'ms'>): Exchange {
    const label = this.#uniqueLabel(exchange.label)
    const at = Math.round(performance.now() - this.#begun)
    const kept: Exchange = { ...exchange, label, at, ms: 0 }
    this.exchanges.push(kept)
    return kept
  }

  /** Nothing more is sent. */
  stop(reason: string): void {
    this.#stopped ??= reason
  }

  /** Why nothing more is sent; absent as long as it is. */
  get stopped(): string | undefined {
    return this.#stopped
  }

  /** Where a name leads. */
  target(url: URL): { readonly hostname: string; readonly port: string } {
    const port = url.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url.port
    const moved = this.#options.connectTo?.find(
      (rule) =>
        (rule.host === '' || rule.host === url.hostname) &&
        (rule.port === '' || rule.port === port),
    )
    return {
      hostname: moved !== undefined && moved.toHost !== '' ? moved.toHost : url.hostname,
      port: moved !== undefined && moved.toPort !== '' ? moved.toPort : port,
    }
  }

  get ca(): string | undefined {
    return this.#options.ca
  }

  close(): void {
    this.#http.destroy()
    this.#https.destroy()
  }

  #exchange(
    { method, url, headers, body }: SentRequest,
    more: Readonly<Record<string, string>>,
  ): Promise<Answer> {
    const address = new URL(url)
    const secure = address.protocol === 'https:'
    const { hostname, port } = this.target(address)
    const sent = [...headers, ...Object.entries(more)].flat()
    if (!headers.some(([name]) => name.toLowerCase() === 'host')) sent.push('Host', address.host)
    if (body !== undefined) sent.push('Content-Length', String(Buffer.byteLength(body)))
    else if (method !== 'GET' && method !== 'HEAD') sent.push('Content-Length', '0')
    return new Promise((resolve, reject) => {
      const outgoing = (secure ? httpsRequest : httpRequest)(
        {
          method,
          host: hostname,
          port,
          path: `${address.pathname}${address.search}`,
          headers: sent,
          agent: secure ? this.#https : this.#http,
          lookup: lookupLoopback,
          timeout: this.#options.timeoutMs ?? TIMEOUT_MS,
          ...(secure && { servername: address.hostname }),
        },
        (answer) => {
          readAnswer(answer).then(resolve, reject)
        },
      )
      outgoing.on('timeout', () => outgoing.destroy(new Error('no answer in time')))
      outgoing.on('error', reject)
      outgoing.end(body)
    })
  }

  #uniqueLabel(label: string): string {
    const count = (this.#labels.get(label) ?? 0) + 1
    this.#labels.set(label, count)
    return count === 1 ? label : `${label}#${count}`
  }
}

/** Names below `localhost` are this machine, as browsers have it (RFC 6761 6.3). */
export const lookupLoopback: LookupFunction = (hostname, options, callback) => {
  if (/(^|\.)localhost$/.test(hostname)) {
    if (options.all === true) callback(null, [{ address: '127.0.0.1', family: 4 }])
    else callback(null, '127.0.0.1', 4)
    return
  }
  import('node:dns').then(
    ({ lookup }) => lookup(hostname, options, callback),
    (error: NodeJS.ErrnoException) => callback(error, '', 4),
  )
}

async function readAnswer(answer: IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of answer) {
    const bytes = chunk as Buffer // no encoding was set
    length += bytes.length
    if (length <= MAX_BODY) chunks.push(bytes)
  }
  const { rawHeaders } = answer
  const headers: Header[] = []
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    headers.push([rawHeaders[at] ?? '', rawHeaders[at + 1] ?? ''])
  }
  return { status: answer.statusCode ?? 0, headers, body: Buffer.concat(chunks).toString() }
}
