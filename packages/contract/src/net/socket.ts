import { WebSocket } from 'ws'
import type { Exchange } from '../model/exchange.ts'
import { lookupLoopback, type Wire } from './wire.ts'

/** A frame that came, with the time since the connection began. */
export interface Frame {
  readonly ms: number
  readonly data: unknown
}

/** What a connection showed; the body of its exchange. */
export interface SocketTranscript {
  readonly protocol: string
  readonly sent: readonly unknown[]
  readonly frames: readonly Frame[]
  /** Absent as long as the server kept it open. */
  readonly close?: { readonly code: number; readonly reason: string; readonly ms: number }
}

export interface SocketOptions {
  readonly protocols?: readonly string[]
  readonly headers?: Readonly<Record<string, string>>
}

const OPEN_MS = 5000

/** A websocket whose frames are kept, and become one exchange. */
export class Socket {
  readonly #wire: Wire
  readonly #label: string
  readonly #url: URL
  readonly #options: SocketOptions
  readonly #socket: WebSocket
  readonly #begun = performance.now()
  readonly #sent: unknown[] = []
  readonly #frames: Frame[] = []
  readonly #waiting = new Set<() => void>()
  #close: SocketTranscript['close']
  #refused: number | undefined
  /** That the server chose; absent as long as it has not agreed to a connection. */
  #protocol: string | undefined

  private constructor(wire: Wire, label: string, url: URL, options: SocketOptions) {
    this.#wire = wire
    this.#label = label
    this.#url = url
    this.#options = options
    const { hostname, port } = wire.target(url)
    const address = new URL(url)
    address.hostname = hostname
    address.port = port
    this.#socket = new WebSocket(address, [...(options.protocols ?? [])], {
      headers: { Host: url.host, ...options.headers, ...wire.labelHeaders(label) },
      lookup: lookupLoopback,
      handshakeTimeout: OPEN_MS,
      perMessageDeflate: false,
      ...(wire.ca !== undefined && { ca: wire.ca }),
    })
    this.#socket.on('message', (data) => {
      this.#frames.push({ ms: this.#ms(), data: readFrame(String(data)) })
      this.#wake()
    })
    this.#socket.on('close', (code, reason) => {
      this.#close = { code, reason: reason.toString(), ms: this.#ms() }
      this.#wake()
    })
    this.#socket.on('unexpected-response', (_request, response) => {
      this.#refused = response.statusCode ?? 0
      response.destroy()
      this.#wake()
    })
    this.#socket.on('error', () => this.#wake())
    // Whatever the protocol is that was chosen: to open, it has to be one that was offered.
    this.#socket.on('upgrade', ({ headers }) => {
      this.#protocol = headers['sec-websocket-protocol'] ?? ''
    })
    this.#socket.on('open', () => this.#wake())
  }

  /** Connects; whether that went well is in the exchange. */
  static async open(
    wire: Wire,
    label: string,
    url: URL,
    options: SocketOptions = {},
  ): Promise<Socket> {
    const request = { method: 'GET', url: url.href.replace(/^ws/, 'http'), headers: [] }
    return wire.hold(request, async () => {
      const socket = new Socket(wire, label, url, options)
      await socket.until(
        () => socket.isOpen || socket.#refused !== undefined || socket.#close !== undefined,
        OPEN_MS,
      )
      return socket
    })
  }

  get isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN
  }

  get frames(): readonly Frame[] {
    return this.#frames
  }

  get isClosed(): boolean {
    return this.#close !== undefined
  }

  /** Sends a message as JSON, or a text as it is. */
  send(message: unknown): void {
    this.#sent.push(message)
    if (!this.isOpen) return
    this.#socket.send(typeof message === 'string' ? message : JSON.stringify(message))
  }

  /** Waits until something holds. @returns whether it did, in that time */
  until(holds: () => boolean, ms: number): Promise<boolean> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (holds()) end(true)
      }
      const end = (held: boolean): void => {
        clearTimeout(timer)
        this.#waiting.delete(look)
        resolve(held)
      }
      const timer = setTimeout(() => end(holds()), ms)
      this.#waiting.add(look)
      look()
    })
  }

  /** Waits until so many frames are there. */
  frame(count: number, ms: number): Promise<boolean> {
    return this.until(() => this.#frames.length >= count || this.isClosed, ms)
  }

  /** Ends the connection and records it. */
  end(): Exchange {
    const transcript: SocketTranscript = {
      protocol: this.#protocol ?? '',
      sent: this.#sent,
      frames: this.#frames,
      ...(this.#close !== undefined && { close: this.#close }),
    }
    this.#socket.terminate()
    const answer = {
      status: this.#refused ?? 101,
      headers: [['content-type', 'application/json']] as const,
      body: JSON.stringify(transcript),
    }
    // A server that neither agreed nor refused has shown nothing.
    const hasAnswer = this.#protocol !== undefined || this.#refused !== undefined
    return this.#wire.keep({
      label: this.#label,
      request: {
        method: 'GET',
        url: this.#url.href,
        headers: [
          ['Upgrade', 'websocket'],
          ['Sec-WebSocket-Protocol', (this.#options.protocols ?? []).join(', ')],
        ],
      },
      ...(hasAnswer ? { answer } : { fault: 'no connection was opened' }),
    })
  }

  #ms(): number {
    return Math.round(performance.now() - this.#begun)
  }

  #wake(): void {
    for (const look of this.#waiting) look()
  }
}

function readFrame(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
