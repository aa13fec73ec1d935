import { MINUTE_MS, SECOND_MS } from '../durations.ts'

/** What the connections of a listener may cost. */
export interface ConnectionBounds {
  /** A TLS handshake is over by then. Milliseconds. @defaultValue 10 s */
  readonly handshakeMs: number
  /** The header section of a request is complete by then. Milliseconds, at most `requestMs`. @defaultValue 15 s */
  readonly headersMs: number
  /** The same while most connections are taken. Milliseconds. @defaultValue 3 s */
  readonly pressedHeadersMs: number
  /** A request is complete with its body by then. Milliseconds. @defaultValue 30 s */
  readonly requestMs: number
  /** How long a connection may wait for its next request. Milliseconds. @defaultValue 8 s */
  readonly idleMs: number
  /** How long nothing may move in either direction; websockets are exempt. Milliseconds. @defaultValue 30 s */
  readonly silenceMs: number
  /** An answer that is still not taken then is measured. Milliseconds. @defaultValue 30 s */
  readonly answerGraceMs: number
  /** How fast an answer has to be taken on average. Bytes a second. @defaultValue 512 */
  readonly answerBytesPerSecond: number
  /** An answer is taken by then, however it goes. Milliseconds. @defaultValue 5 min */
  readonly answerMs: number
  /** Size of a header section. Bytes. @defaultValue 16 KiB */
  readonly headerBytes: number
  /** Lines of a header section. @defaultValue 100 */
  readonly headerLines: number
  /** Pipelined requests that wait while one is handled. @defaultValue 16 */
  readonly pipelined: number
  /** Requests of one connection. @defaultValue 1 000 */
  readonly requestsPerConnection: number
  /**
   * Connections of one client address (IPv6: of a /64), at most half of `connections`. 0 turns it off, which is right
   * behind a proxy, since all connections are the proxy's.
   * @defaultValue 256
   */
  readonly connectionsPerAddress: number
  /** Connections in all, at most the process's limit of open files less 512. @defaultValue 10 000 */
  readonly connections: number
  /** How long somebody who was refused may go on sending. Milliseconds. @defaultValue 1 s */
  readonly lingerMs: number
  /** How much of it is read and thrown away. Bytes. @defaultValue 64 KiB */
  readonly lingerBytes: number
  /** How often it is looked for answers that nobody takes. Milliseconds. @defaultValue 5 s */
  readonly sweepMs: number
}

/** Of nginx, aiohttp and OWASP's advice on slow clients; what a browser on a bad network still meets. */
export const CONNECTION_BOUNDS: ConnectionBounds = {
  handshakeMs: 10 * SECOND_MS,
  headersMs: 15 * SECOND_MS,
  pressedHeadersMs: 3 * SECOND_MS,
  requestMs: 30 * SECOND_MS,
  idleMs: 8 * SECOND_MS,
  silenceMs: 30 * SECOND_MS,
  answerGraceMs: 30 * SECOND_MS,
  answerBytesPerSecond: 512,
  answerMs: 5 * MINUTE_MS,
  headerBytes: 16_384,
  headerLines: 100,
  pipelined: 16,
  requestsPerConnection: 1000,
  connectionsPerAddress: 256,
  connections: 10_000,
  lingerMs: SECOND_MS,
  lingerBytes: 65_536,
  sweepMs: 5 * SECOND_MS,
}

const MAX = 2 ** 31 - 1

/**
 * The bounds with those that are given.
 * @throws TypeError naming every option that is unknown or no whole number
 */
export function resolveBounds(given: Readonly<Record<string, unknown>>): ConnectionBounds {
  const faults: string[] = []
  for (const [name, value] of Object.entries(given)) {
    const least = name === 'connectionsPerAddress' || name === 'pipelined' ? 0 : 1
    if (!Object.hasOwn(CONNECTION_BOUNDS, name)) faults.push(`options.${name} is unknown`)
    else if (!Number.isSafeInteger(value) || Number(value) < least || Number(value) > MAX) {
      faults.push(`options.${name} must be a whole number from ${least} to ${MAX}`)
    }
  }
  const bounds: ConnectionBounds = { ...CONNECTION_BOUNDS, ...given }
  if (bounds.headersMs > bounds.requestMs) {
    faults.push('options.headersMs must be at most options.requestMs')
  }
  if (faults.length > 0) throw new TypeError(faults.join('\n'))
  return bounds
}
