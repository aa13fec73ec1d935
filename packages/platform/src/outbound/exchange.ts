import type Http from 'node:http'
import https from 'node:https'
import { isIP } from 'node:net'
import type { SecureContext } from 'node:tls'
import {
  type CheckedConnections,
  type CheckedRequestOptions,
  keptConnections,
  ownConnections,
} from './connections.ts'
import type { OutboundAnswer, OutboundRequest } from './outbound.ts'
import { isOutboundError, OutboundError } from './outbound-error.ts'
import type { Target } from './target.ts'

// An import would load Node's client for `fetch` with it, 13 MiB that a server may never use (0437).
const http: typeof Http = process.getBuiltinModule('node:http')

/** What a call may take, in full. */
export interface ExchangeLimits {
  readonly maxBytes: number
  /** Rejects the call when it aborts, with its reason. */
  readonly signal: AbortSignal
  /** Called once the connection stands; from then on the other side may have got something. */
  readonly onConnected: () => void
}

const MAX_HEADER_BYTES = 16_384
/** Headers of the connection, which no caller sets. */
const OWN_HEADERS = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Makes exchanges that trust the same authorities. */
export type Exchange = (
  target: Target,
  request: OutboundRequest,
  limits: ExchangeLimits,
) => Promise<OutboundAnswer>

/** How an exchange gets its connection. */
interface Line {
  readonly secureContext: SecureContext
  readonly agents: CheckedConnections
  readonly isKept: boolean
}

/**
 * One request and its answer, on a new connection to a checked target; one that may be repeated also on a connection of
 * before, and once more on a new one when that had ended.
 */
export function createExchange(secureContext: SecureContext): Exchange {
  const own: Line = { secureContext, agents: ownConnections(), isKept: false }
  const kept: Line = { secureContext, agents: keptConnections(), isKept: true }

  return async function exchange(target, request, limits) {
    if (request.isRepeatable !== true) return exchangeOn(own, target, request, limits)
    try {
      return await exchangeOn(kept, target, request, limits)
    } catch (error) {
      if (!(error instanceof EndedConnection)) throw error
      return exchangeOn(own, target, request, limits)
    }
  }
}

/** A connection of before ended without a word of an answer. */
class EndedConnection extends Error {}

const ENDED = new Set(['ECONNRESET', 'EPIPE', 'connection'])

/** @throws OutboundError, the reason of the signal, or an {@link EndedConnection} */
function exchangeOn(
  { secureContext, agents, isKept }: Line,
  target: Target,
  request: OutboundRequest,
  limits: ExchangeLimits,
): Promise<OutboundAnswer> {
  const { url, hostname, addresses } = target
  const isTls = url.protocol === 'https:'
  return new Promise((resolve, reject) => {
    let isSent = false
    let isAnswered = false
    let status: number | undefined
    const options: CheckedRequestOptions = {
      addresses,
      connecting: limits.signal,
      agent: isTls ? agents['https:'] : agents['http:'],
      headers: headersOf(target, request, isKept),
      host: hostname,
      insecureHTTPParser: false,
      maxHeaderSize: MAX_HEADER_BYTES,
      method: request.method,
      path: url.pathname + url.search,
      port: url.port === '' ? (isTls ? 443 : 80) : Number(url.port),
      signal: limits.signal,
      ...(isTls && {
        // Whatever the environment says: certificates are checked, on the name of the URL.
        rejectUnauthorized: true,
        secureContext,
        servername: isIP(hostname) === 0 ? hostname : '',
      }),
    }
    const sent = (isTls ? https : http).request(options)
    const fail = (cause: unknown): void => {
      const isAborted = limits.signal.aborted
      const failure = isAborted ? limits.signal.reason : failureOf(cause, isSent)
      const isEnded = sent.reusedSocket && status === undefined && ENDED.has(codeOf(cause))
      reject(isEnded && !isAborted ? new EndedConnection() : withStatus(failure, status))
      sent.destroy()
    }
    const connected = (): void => {
      isSent = true
      limits.onConnected()
    }
    sent.once('socket', (socket) => {
      // What the agent hands out is connected; a new one for TLS still has to agree on it.
      if (sent.reusedSocket || !isTls) connected()
      else socket.once('secureConnect', connected)
    })
    sent.on('error', fail)
    // Neither an end after a change of protocol nor an abort of what has ended is an error to Node.
    sent.once('close', () => {
      if (!isAnswered) fail(new Error('closed'))
    })
    limits.signal.addEventListener('abort', fail, { once: true })
    sent.once('response', (answer) => {
      isAnswered = true
      status = answer.statusCode
      readBody(answer, limits.maxBytes).then(
        // Always present on a response.
        (body) => {
          resolve({ status: answer.statusCode as number, headers: answer.headers, body })
          if (!isKept) sent.destroy()
        },
        fail,
      )
    })
    sent.end(request.body)
  })
}

function headersOf(
  target: Target,
  request: OutboundRequest,
  isKept: boolean,
): Record<string, string> {
  const given = Object.entries(request.headers ?? {})
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    .filter(([name]) => !OWN_HEADERS.has(name))
  return {
    ...Object.fromEntries(given),
    'accept-encoding': 'identity',
    connection: isKept ? 'keep-alive' : 'close',
    host: target.url.host,
  }
}

async function readBody(answer: Http.IncomingMessage, maxBytes: number): Promise<Buffer> {
  if (Number(answer.headers['content-length'] ?? 0) > maxBytes) throw tooLarge()
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxBytes) throw tooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function tooLarge(): OutboundError {
  return new OutboundError('too_large', 'body', { isSent: true })
}

function failureOf(cause: unknown, isSent: boolean): OutboundError {
  if (cause instanceof OutboundError) return cause
  const code = codeOf(cause)
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new OutboundError('too_large', 'headers', { isSent, cause })
  }
  const kind = code.startsWith('HPE_') ? 'malformed' : 'unreachable'
  return new OutboundError(kind, code, { isSent, cause })
}

/** @param status - of the answer whose body failed */
function withStatus(failure: unknown, status: number | undefined): unknown {
  if (status === undefined || !isOutboundError(failure)) return failure
  const { kind, reason, cause } = failure
  return new OutboundError(kind, reason, { isSent: true, status, cause })
}

/** Errors of the platform carry a code such as `ECONNREFUSED`. */
function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? code : 'connection'
}
