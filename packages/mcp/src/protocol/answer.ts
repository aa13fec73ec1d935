import type { RouteContext } from '@svc/platform'
import type { Exchange } from './exchange.ts'
import type { Protocol } from './library.ts'
import { errorMessage, idOf, NO_METHOD, unsupportedVersion, withOwnWords } from './messages.ts'
import { LEGACY_VERSIONS, MODERN_VERSIONS } from './versions.ts'

/** What goes back, as far as it is an answer of the protocol. */
export interface ProtocolAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** JSON. Empty: a notification was taken. */
  readonly body: string
}

type Classified = ReturnType<Protocol['classify']>

/** Headers that mean something to the protocol: no session, nothing to resume. @see assistants.md 6.2 */
const HEADERS = ['mcp-protocol-version', 'mcp-method', 'mcp-name'] as const

/** The request as the library wants it; its body was read before. */
export function toRequest(ctx: RouteContext, signal: AbortSignal): Request {
  const headers = new Headers({
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
  })
  for (const name of HEADERS) {
    const value = ctx.get(name)
    if (value !== '') headers.set(name, value)
  }
  const { origin } = ctx.state.instance
  return new Request(`${origin}${ctx.path}`, { method: 'POST', headers, signal })
}

/**
 * Answers a message of either era.
 * @returns undefined when nobody waits for it any more
 * @throws what a tool threw and is not for the client
 */
export async function answerMessage(
  protocol: Protocol,
  request: Request,
  body: unknown,
  exchange: Exchange,
): Promise<ProtocolAnswer | undefined> {
  const outcome = classified(protocol, request, body)
  const refusal = refuseBefore(outcome, request, body)
  if (refusal !== undefined) return refusal
  const era = isLegacy(outcome) ? 'legacy' : 'modern'
  const response = await untilAborted(protocol[era](request, body, exchange), exchange.signal)
  if (exchange.thrown !== undefined) throw exchange.thrown.error
  if (response === undefined) return undefined
  const text = await response.text()
  const { challenge } = exchange
  return {
    status: challenge === undefined ? response.status : 403,
    headers: challenge === undefined ? {} : { 'WWW-Authenticate': challenge },
    body: withOwnWords(text, exchange.hasOwnWords === true),
  }
}

function classified(protocol: Protocol, request: Request, body: unknown): Classified {
  const alone = protocol.classify({ httpMethod: 'POST', body })
  if (alone.kind === 'legacy' && alone.reason === 'initialize') {
    // SPEC: assistants.md 6.2 - the version is agreed on in the body, whatever the header says.
    request.headers.delete('mcp-protocol-version')
    return alone
  }
  const header = (name: string): string | undefined => request.headers.get(name) ?? undefined
  const version = header('mcp-protocol-version')
  const method = header('mcp-method')
  const name = header('mcp-name')
  return protocol.classify({
    httpMethod: 'POST',
    body,
    ...(version !== undefined && { protocolVersionHeader: version }),
    ...(method !== undefined && { mcpMethodHeader: method }),
    ...(name !== undefined && { mcpNameHeader: name }),
  })
}

/** Batches and answers are of the older era, too, and are refused by the other: here everything is one request. */
function isLegacy(outcome: Classified): boolean {
  return outcome.kind === 'legacy' && outcome.reason !== 'batch' && outcome.reason !== 'response'
}

/** What the library would answer otherwise: streams, and versions that it knows and we do not. */
function refuseBefore(
  outcome: Classified,
  request: Request,
  body: unknown,
): ProtocolAnswer | undefined {
  const version = request.headers.get('mcp-protocol-version')
  if (outcome.kind === 'legacy' && version !== null && !LEGACY_VERSIONS.includes(version)) {
    return answerOf(400, unsupportedVersion(idOf(body), version))
  }
  if (outcome.kind !== 'modern' || outcome.messageKind !== 'request') return undefined
  const { revision } = outcome.classification
  const isKnown = revision !== undefined && MODERN_VERSIONS.includes(revision)
  if (isKnown && outcome.message.method === 'subscriptions/listen') {
    return answerOf(404, errorMessage(idOf(body), NO_METHOD))
  }
  return undefined
}

export function answerOf(status: number, message: object): ProtocolAnswer {
  return { status, headers: {}, body: JSON.stringify(message) }
}

/** The library closes what nobody waits for, and may then answer nothing at all. */
async function untilAborted<Value>(
  answering: Promise<Value>,
  signal: AbortSignal,
): Promise<Value | undefined> {
  const aborted = new Promise<undefined>((resolve) => {
    if (signal.aborted) resolve(undefined)
    else signal.addEventListener('abort', () => resolve(undefined), { once: true })
  })
  return Promise.race([answering, aborted])
}
