import type Http from 'node:http'
import https from 'node:https'
import type { Duplex } from 'node:stream'
import { SECOND_MS } from '../durations.ts'

// An import would load Node's client for `fetch` with it, 13 MiB that a server may never use (0437).
const http: typeof Http = process.getBuiltinModule('node:http')

/** Options of a request on a connection that may be kept. */
export interface KeptRequestOptions extends https.RequestOptions {
  /** Those that were checked for this call. */
  readonly addresses: readonly string[]
}

/** Idle connections of all servers together. */
const MOST_IDLE = 64
/** Idle connections to the same addresses of a server. */
const MOST_IDLE_ALIKE = 16
/** How long a connection waits for its next call. A server that says so has it closed sooner. */
const IDLE_MS = 10 * SECOND_MS

/** Agents that keep connections for calls to the same addresses. */
export interface KeptConnections {
  readonly 'http:': Http.Agent
  readonly 'https:': https.Agent
}

/**
 * Every call looks its name up and has the addresses checked. It gets a connection of before only when that one was
 * opened for the same server and for exactly these addresses. Idle connections hold no process.
 * @param given - options of both agents
 */
export function keptConnections(given: https.AgentOptions): KeptConnections {
  const options = { ...given, keepAlive: true, maxFreeSockets: MOST_IDLE_ALIKE, timeout: IDLE_MS }
  return { 'http:': new HttpAgent(options), 'https:': new HttpsAgent(options) }
}

class HttpAgent extends http.Agent {
  override getName(options?: KeptRequestOptions): string {
    return nameOf(super.getName(options as Http.ClientRequestArgs), options)
  }

  override keepSocketAlive(socket: Duplex): boolean {
    // Node answers whether it may be kept, which its types do not tell.
    const mayStay: unknown = super.keepSocketAlive(socket)
    return mayStay === true && countIdle(this) < MOST_IDLE
  }
}

class HttpsAgent extends https.Agent {
  override getName(options?: KeptRequestOptions): string {
    return nameOf(super.getName(options), options)
  }

  override keepSocketAlive(socket: Duplex): boolean {
    const mayStay: unknown = super.keepSocketAlive(socket) // As above.
    return mayStay === true && countIdle(this) < MOST_IDLE
  }
}

/** What two calls must have in common to go over one connection. */
function nameOf(name: string, options: KeptRequestOptions | undefined): string {
  return `${name}:${(options?.addresses ?? []).toSorted().join(',')}`
}

function countIdle({ freeSockets }: Http.Agent): number {
  return Object.values(freeSockets).reduce((count, sockets) => count + (sockets?.length ?? 0), 0)
}
