import { AsyncResource } from 'node:async_hooks'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { ConnectionBounds } from './bounds.ts'
import type { FollowUps } from './follow-ups.ts'
import { endAndLinger } from './linger.ts'
import { ReadingWatch } from './reading-watch.ts'

/** A request, its answer, and how the server is told of it. */
export interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly handle: () => unknown
}

export interface ConnectionOptions {
  readonly socket: Socket
  /** The TCP socket below: the same one without TLS. */
  readonly transport: Socket
  readonly bounds: ConnectionBounds
  /** Whether connections are to end with their answers. */
  readonly isPressed: () => boolean
  /** Too many requests were sent ahead. */
  readonly onOverflow: () => void
  readonly followUps: FollowUps
}

/**
 * `closing`: ends with the answers that are due; `over`: nothing is answered any more, the socket goes soon;
 * `upgraded`: another protocol's.
 */
type Phase = 'open' | 'closing' | 'over' | 'upgraded'

/**
 * The requests of one connection. Node hands all requests of one read to the server at once, however many there are and
 * whatever the socket has become meanwhile; here one is handled at a time, the next one once the answer before it was
 * taken, and nothing more is read while one waits.
 */
export class Connection {
  readonly socket: Socket
  readonly #bounds: ConnectionBounds
  readonly #options: ConnectionOptions
  readonly #reading: ReadingWatch
  readonly #waiting: Exchange[] = []
  #current: Exchange | undefined
  #latest: IncomingMessage | undefined
  #requests = 0
  #phase: Phase = 'open'
  #isHeld = false

  constructor(options: ConnectionOptions) {
    const { socket, transport, bounds } = options
    this.socket = socket
    this.#options = options
    this.#bounds = bounds
    this.#reading = new ReadingWatch(socket, transport, bounds)
    // Node resumes the socket for whoever reads a body, and after each request.
    socket.on('resume', () => {
      if (this.#isHeld) keepPaused(socket)
    })
    const destroySoon = socket.destroySoon
    // Node's way to end a connection with its last answer; it would not wait for what is still on its way here.
    socket.destroySoon = () => {
      if (this.#phase === 'upgraded') destroySoon.call(socket)
      else this.end()
    }
  }

  get state(): 'active' | 'idle' | 'upgraded' {
    if (this.#phase === 'upgraded') return 'upgraded'
    return this.#current === undefined ? 'idle' : 'active'
  }

  /** Whether nothing is answered any more. */
  get isOver(): boolean {
    return this.#phase === 'over'
  }

  /** The request that is answered at the moment. */
  get current(): Exchange | undefined {
    return this.#current
  }

  /** The request that came last, unless it is complete and answered. */
  get latest(): IncomingMessage | undefined {
    return this.#latest
  }

  /** Handles a request, now or in its turn. */
  take(exchange: Exchange): void {
    if (this.#phase !== 'open') {
      // Of the same read, or behind what was the last one: nobody hears of it.
      this.#ignore(exchange)
      return
    }
    this.#latest = exchange.request
    this.#requests += 1
    if (this.#requests >= this.#bounds.requestsPerConnection) this.#phase = 'closing'
    if (this.#current === undefined) {
      this.#current = exchange
      // Once its read is parsed to the end: of a flood none is handled.
      process.nextTick(() => this.#start(exchange))
    } else if (this.#waiting.length < this.#bounds.pipelined) {
      // Handled later, but in its own context, not in that of the request before it.
      const context = new AsyncResource('PipelinedRequest')
      this.#waiting.push({ ...exchange, handle: () => context.runInAsyncScope(exchange.handle) })
      this.#hold()
    } else {
      this.#options.onOverflow()
      this.destroy()
    }
  }

  /** Another protocol takes the socket. False: requests before it are not answered yet. */
  upgrade(): boolean {
    if (this.#phase !== 'open' || this.#current !== undefined) return false
    this.#phase = 'upgraded'
    return true
  }

  /** What came last is no good: the connection ends with the answers to what came before it. */
  endAfterAnswers(): void {
    if (this.#phase === 'open') this.#phase = 'closing'
    if (this.#waiting.at(-1)?.request.complete === false) this.#waiting.pop()
    if (this.#current === undefined) this.end()
    else this.#announceEnd(this.#current)
  }

  /** The answers under way say that they are the last, where that can still be said. */
  announceEnd(): void {
    if (this.#phase === 'open' && this.#current !== undefined) this.#announceEnd(this.#current)
  }

  /** Sends `answer`, if any, and FIN; what still comes is thrown away, and then the socket is destroyed. */
  end(answer?: string): void {
    if (this.#phase === 'over') return
    this.#phase = 'over'
    this.#waiting.length = 0
    this.#isHeld = false
    stopParsing(this.socket)
    if (answer !== undefined) this.socket.write(answer)
    const { lingerMs: ms, lingerBytes: bytes } = this.#bounds
    endAndLinger(this.socket, { ms, bytes })
  }

  destroy(): void {
    this.#phase = 'over'
    this.#waiting.length = 0
    stopParsing(this.socket)
    this.socket.destroy()
  }

  /** Whether the client does not take its answer. @param now - monotonic, milliseconds */
  isTooSlow(now: number): boolean {
    const isAnswering = this.#phase === 'open' || this.#phase === 'closing'
    return isAnswering && this.#reading.isTooSlow(now)
  }

  #ignore({ request }: Exchange): void {
    request.resume()
    stopParsing(this.socket)
    if (this.#phase === 'closing') this.#hold()
  }

  #start(exchange: Exchange): void {
    const { response } = exchange
    if (this.#phase === 'over' || this.socket.destroyed) return
    this.#reading.restart()
    if (this.#phase === 'closing' || this.#options.isPressed()) this.#announceEnd(exchange)
    // Node's own listener came first: a last answer has ended the connection by then.
    response.once('finish', () => this.#whenTaken())
    exchange.handle()
  }

  #announceEnd({ response }: Exchange): void {
    if (this.#waiting.length === 0 && !response.headersSent) response.shouldKeepAlive = false
  }

  /** An answer is finished; the next one waits until nothing of it is left in the process. */
  #whenTaken(): void {
    if (this.#phase === 'over') return
    if (this.socket.writableLength > 0) this.socket.write('', () => this.#next())
    else this.#next()
  }

  #next(): void {
    this.#current = undefined
    const next = this.#waiting.shift()
    if (next === undefined) {
      if (this.#latest?.complete === true) this.#latest = undefined
      if (this.#phase === 'closing' || this.#options.isPressed()) this.end()
      return
    }
    this.#current = next
    this.#options.followUps.add(() => {
      if (this.#waiting.length === 0) this.#release()
      this.#start(next)
    })
  }

  #hold(): void {
    if (this.#isHeld) return
    this.#isHeld = true
    this.socket.pause()
  }

  #release(): void {
    if (!this.#isHeld || this.#phase === 'over') return
    this.#isHeld = false
    this.socket.resume()
  }
}

/** Whoever resumed the socket may have been paused before it was told: then no second `pause` is told by itself. */
function keepPaused(socket: Socket): void {
  if (socket.isPaused()) socket.emit('pause')
  else socket.pause()
}

/** What Node's parser asks about a request whose headers it has read. */
interface Parser {
  onIncoming?: (() => number) | null
}

/** Its answer for "another protocol follows": nothing behind the headers is for the parser. */
const NOT_HTTP = 2

/**
 * Leaves the rest of a read unparsed. Node has no public way, and would make a request and an answer of each that is
 * there, some 20 µs of processor time for 20 bytes of the flood. Where a later version has no such member, that is all
 * that is lost.
 */
function stopParsing(socket: Socket): void {
  const { parser } = socket as unknown as { readonly parser?: Parser | null }
  if (typeof parser?.onIncoming === 'function') parser.onIncoming = () => NOT_HTTP
}
