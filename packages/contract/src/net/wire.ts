import { request as httpRequest, Agent as HttpAgent, type IncomingMessage } from 'node:http'
import { request as httpsRequest, Agent as HttpsAgent } from 'node:https'
import type { LookupFunction } from 'node:net'
import type { Answer, Exchange, Header, SentRequest } from '../model/exchange.ts'
import type { Budget } from './budget.ts'
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
  /** Once it is aborted nothing more is sent. */
  readonly signal?: AbortSignal
}

const TIMEOUT_MS = 15_000
const MAX_BODY = 2 * 1024 * 1024

/** Sends requests as they are given, and keeps every exchange. */
export class Wire {
  readonly exchanges: Exchange[] = []
  readonly #options: WireOptions
  readonly #slots: Slots
  readonly #begun = performance.now()
  readonly #labels = new Map<string, number>()
  #stopped: string | undefined
  readonly #http = new HttpAgent({ keepAlive: true })
  readonly #https: HttpsAgent

  constructor(options: WireOptions) {
    this.#options = options
    this.#slots = new Slots(options.concurrency)
    this.#https = new HttpsAgent({ keepAlive: true, ...(options.ca && { ca: options.ca }) })
  }

  /** Sends it, follows nothing, and records what came. @throws BudgetError */
  async send(label: string, request: SentRequest): Promise<Exchange> {
    return this.#slots.run(async () => {
      if (this.#options.signal?.aborted === true) throw new Error('the run was ended')
      if (this.#stopped !== undefined) throw new Error(this.#stopped)
      this.#options.budget.countRequest(request)
      const unique = this.#uniqueLabel(label)
      const at = performance.now()
      const outcome = await this.#exchange(request).then(
        (answer) => ({ answer }),
        (error: unknown) => ({ fault: error instanceof Error ? error.message : String(error) }),
      )
      const exchange: Exchange = {
        label: unique,
        at: Math.round(at - this.#begun),
        ms: Math.round(performance.now() - at),
        request,
        ...outcome,
      }
      this.exchanges.push(exchange)
      return exchange
    })
  }

  /** Keeps what came another way, such as a mail. */
  keep(exchange: Omit<Exchange, 'at' | 'ms'>): void {
    const label = this.#uniqueLabel(exchange.label)
    const at = Math.round(performance.now() - this.#begun)
    this.exchanges.push({ ...exchange, label, at, ms: 0 })
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

  #exchange({ method, url, headers, body }: SentRequest): Promise<Answer> {
    const address = new URL(url)
    const secure = address.protocol === 'https:'
    const { hostname, port } = this.target(address)
    const sent = headers.flatMap(([name, value]) => [name, value])
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
