import type Http from 'node:http'
import https from 'node:https'
import net from 'node:net'
import type { Duplex } from 'node:stream'
import { SECOND_MS } from '../durations.ts'

// An import would load Node's client for `fetch` with it, 13 MiB that a server may never use (0437).
const http: typeof Http = process.getBuiltinModule('node:http')

/** Options of a request to addresses that were checked. */
export interface CheckedRequestOptions extends https.RequestOptions {
  /** The only ones that are connected to. */
  readonly addresses: readonly string[]
  /** Ends the attempts to connect. The agents do not see the `signal` of the request. */
  readonly connecting: AbortSignal
}

/** Idle connections of all servers together. */
const MOST_IDLE = 64
/** Idle connections to the same addresses of a server. */
const MOST_IDLE_ALIKE = 16
/** How long a connection waits for its next call. A server that says so has it closed sooner. */
const IDLE_MS = 10 * SECOND_MS
/** After this time the next address is tried, beside those that have not answered yet. Milliseconds. */
const NEXT_ADDRESS_MS = 500

/** Agents that connect to checked addresses only. */
export interface CheckedConnections {
  readonly 'http:': Http.Agent
  readonly 'https:': https.Agent
}

/** A connection for each call. */
export function ownConnections(): CheckedConnections {
  return agentsOf({ keepAlive: false })
}

/**
 * Every call looks its name up and has the addresses checked. It gets a connection of before only when that one was
 * opened for the same server and for exactly these addresses. Idle connections hold no process.
 */
export function keptConnections(): CheckedConnections {
  return agentsOf({ keepAlive: true, maxFreeSockets: MOST_IDLE_ALIKE, timeout: IDLE_MS })
}

function agentsOf(given: https.AgentOptions): CheckedConnections {
  const options = { ...given, maxCachedSessions: 0 }
  return { 'http:': new HttpAgent(options), 'https:': new HttpsAgent(options) }
}

type OnConnection = (error: Error | null, socket: Duplex) => void

class HttpAgent extends http.Agent {
  override getName(options?: CheckedRequestOptions): string {
    return nameOf(super.getName(options as Http.ClientRequestArgs), options)
  }

  override createConnection(options: CheckedRequestOptions, done: OnConnection): undefined {
    connectToAny(options, (error, socket) => done(error, socket as Duplex)) // Only looked at without an error.
  }

  override keepSocketAlive(socket: Duplex): boolean {
    // Node answers whether it may be kept, which its types do not tell.
    const mayStay: unknown = super.keepSocketAlive(socket)
    return mayStay === true && countIdle(this) < MOST_IDLE
  }
}

class HttpsAgent extends https.Agent {
  override getName(options?: CheckedRequestOptions): string {
    return nameOf(super.getName(options), options)
  }

  override createConnection(options: CheckedRequestOptions, done: OnConnection): undefined {
    connectToAny(options, (error, socket) => {
      // Node hands its options on to `tls.connect`, which its types do not tell.
      const secured =
        socket && super.createConnection({ ...options, socket } as https.RequestOptions)
      done(error, secured as Duplex) // As above.
    })
  }

  override keepSocketAlive(socket: Duplex): boolean {
    const mayStay: unknown = super.keepSocketAlive(socket) // As above.
    return mayStay === true && countIdle(this) < MOST_IDLE
  }
}

/**
 * Connects to the first address that answers. A slow one keeps its attempt while the next ones run, which Node's own
 * `autoSelectFamily` ends; all of them have the time of `connecting`.
 * @see connectors.md 6.1 (1); RFC 8305 5
 */
function connectToAny(
  { addresses, connecting, port }: CheckedRequestOptions,
  done: (error: Error | null, socket?: net.Socket) => void,
): void {
  const waiting = [...addresses]
  const attempts = new Set<net.Socket>()
  let firstError: Error | undefined
  let timer: NodeJS.Timeout | undefined

  function end(error: Error | null, connected?: net.Socket): void {
    clearTimeout(timer)
    connecting.removeEventListener('abort', abort)
    for (const attempt of attempts) if (attempt !== connected) attempt.destroy()
    done(error, connected)
  }
  const abort = (): void => end(connecting.reason as Error)

  function tryNext(): void {
    clearTimeout(timer)
    const host = waiting.shift()
    if (host === undefined) {
      if (attempts.size === 0) end(firstError ?? new Error('no address'))
      return
    }
    const attempt = net.connect({ host, port: Number(port), noDelay: true })
    attempts.add(attempt)
    const fail = (error: Error): void => {
      firstError ??= error
      if (attempts.delete(attempt) && !connecting.aborted) tryNext()
    }
    attempt.once('error', fail)
    attempt.once('connect', () => {
      attempt.off('error', fail)
      end(null, attempt)
    })
    timer = setTimeout(tryNext, NEXT_ADDRESS_MS)
  }

  connecting.addEventListener('abort', abort, { once: true })
  tryNext()
}

/** What two calls must have in common to go over one connection. */
function nameOf(name: string, options: CheckedRequestOptions | undefined): string {
  return `${name}:${(options?.addresses ?? []).toSorted().join(',')}`
}

function countIdle({ freeSockets }: Http.Agent): number {
  return Object.values(freeSockets).reduce((count, sockets) => count + (sockets?.length ?? 0), 0)
}
