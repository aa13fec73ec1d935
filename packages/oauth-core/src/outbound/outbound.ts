import type { IncomingHttpHeaders } from 'node:http'
import type { Logger } from '../ports.ts'

export interface OutboundRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Those that belong to the connection (`host`, `connection`, `content-length` and the like) are set here instead. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  /** Ends the call; it then rejects with the signal's reason. */
  readonly signal?: AbortSignal
  /** Whether the operator's trusted networks may be reached, over plain http and on any port too. @defaultValue `false` */
  readonly isTrusted?: boolean
  /** Longest body of an answer. Bytes. @defaultValue that of the options */
  readonly maxBytes?: number
  /** Look-up, connection and TLS together. Milliseconds. @defaultValue that of the options */
  readonly connectMs?: number
  /** The whole call. Milliseconds. @defaultValue that of the options */
  readonly totalMs?: number
}

/** What came back, a redirect included: none is ever followed. */
export interface OutboundAnswer {
  readonly status: number
  readonly headers: Readonly<IncomingHttpHeaders>
  readonly body: Buffer
}

/** Calls to other servers: only to public addresses, bounded in time and size. @see connectors.md 6.1; security.md 101 */
export interface Outbound {
  /**
   * One HTTP/1.1 exchange on a connection of its own, with the addresses that were checked.
   * @throws OutboundError
   */
  request(url: string | URL, request: OutboundRequest): Promise<OutboundAnswer>
}

export interface OutboundOptions {
  /** CIDRs that requests with `isTrusted` may reach. @defaultValue none */
  readonly trustedNetworks?: readonly string[]
  /** PEM certificates of authorities that are trusted besides those of the machine. @defaultValue none */
  readonly ca?: readonly string[]
  /** Bytes. @defaultValue 1 MiB */
  readonly maxBytes?: number
  /** Milliseconds. @defaultValue `5_000` */
  readonly connectMs?: number
  /** Milliseconds. @defaultValue `15_000` */
  readonly totalMs?: number
  /** Addresses of a name. @defaultValue what the machine's resolver says */
  readonly lookup?: (hostname: string) => Promise<readonly string[]>
  /** Told of refused targets. @defaultValue nobody */
  readonly log?: Logger
}
