import { lookup as lookUp } from 'node:dns/promises'
import type { IncomingHttpHeaders } from 'node:http'
import { DAY_MS, SECOND_MS } from '../durations.ts'
import {
  cidrs,
  defineOptions,
  func,
  integer,
  list,
  milliseconds,
  type OptionsDefinition,
  type OptionsFor,
  port,
  type Settled,
  text,
} from '../options.ts'
import type { Logger } from '../log/logger.ts'

/**
 * A call to another server through the guard that leads to public addresses only, unless the operator trusts a network.
 * @see docs/what-stays-closed.md of the repository
 */
export interface OutboundRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Those that belong to the connection (`host`, `connection`, `content-length` and the like) are set here instead. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  /** Ends the call; it then rejects with the signal's reason. */
  readonly signal?: AbortSignal
  /** Whether the operator's trusted networks may be reached, over plain http and on any port too. @defaultValue `false` */
  readonly isTrusted?: boolean
  /**
   * Whether it does no harm when the call arrives twice, as with a push. Its connection is then kept for some seconds, for
   * the next such call of this `Outbound` to the same server at the same checked addresses. When the other side had ended
   * a kept connection, the call is made once more on a new one. @defaultValue `false`: a connection of its own
   */
  readonly isRepeatable?: boolean
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
   * One HTTP/1.1 exchange with the addresses that were checked, on a connection of its own unless the call may be
   * repeated.
   * @throws OutboundError
   */
  request(url: string | URL, request: OutboundRequest): Promise<OutboundAnswer>
}

/** What {@link createOutbound} is told. */
export interface OutboundOptions {
  /** CIDRs that requests with `isTrusted` may reach. @defaultValue none */
  readonly trustedNetworks?: readonly string[]
  /** PEM certificates of authorities that are trusted besides those of the machine. @defaultValue none */
  readonly ca?: readonly string[]
  /** Longest body of an answer. @defaultValue `1_048_576` */
  readonly maxBytes?: number
  /** Look-up, connection and TLS together. @defaultValue 5 seconds */
  readonly connectMs?: number
  /** A whole call. @defaultValue 15 seconds */
  readonly totalMs?: number
  /** Addresses of a name. @defaultValue what the machine's resolver says */
  readonly lookup?: (hostname: string) => Promise<readonly string[]>
  /** Told of refused targets. @defaultValue nobody */
  readonly log?: Logger
}

/**
 * The definition of the options of `createOutbound`: shapes, ranges, units and defaults. A package that takes
 * `OutboundOptions` among its own settles them with it.
 * @throws OptionsError by `settle`, with every fault at once
 * @see docs/reference/options/oauth-core.md of the repository
 * @example
 * const { maxBytes } = OUTBOUND_OPTIONS.settle({ maxBytes: 65_536 })
 */
export const OUTBOUND_OPTIONS: OptionsDefinition<Settled<OutboundOptions, 'log'>> = defineOptions({
  trustedNetworks: cidrs().or([], 'none'),
  ca: list(text('PEM of a certificate'), 100).or([], 'none'),
  maxBytes: integer(1, 2 ** 30, { unit: 'bytes' }).or(2 ** 20),
  connectMs: milliseconds(1, DAY_MS).or(5 * SECOND_MS),
  totalMs: milliseconds(1, DAY_MS).or(15 * SECOND_MS),
  lookup: func<NonNullable<OutboundOptions['lookup']>>().or(
    systemAddresses,
    "what the machine's resolver says",
  ),
  log: port<Logger>(['info', 'warn', 'error']).optional('nobody'),
} satisfies OptionsFor<OutboundOptions>)

async function systemAddresses(hostname: string): Promise<readonly string[]> {
  const found = await lookUp(hostname, { all: true })
  return found.map(({ address }) => address)
}
