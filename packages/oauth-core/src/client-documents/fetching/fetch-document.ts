import {
  isOutboundError,
  type Outbound,
  type OutboundAnswer,
  type OutboundError,
  SECOND_MS,
} from '@svc/platform'
import { DocumentError } from '../document-error.ts'
import { isLoopbackClientId } from '../identifier.ts'

/** SPEC: assistants.md 2.3 */
export const MAX_DOCUMENT_BYTES = 5120
/** SPEC: assistants.md 2.12 */
export const MAX_KEYS_BYTES = 65_536
const CONNECT_MS = 2 * SECOND_MS
const TOTAL_MS = 5 * SECOND_MS
const MEDIA_TYPE = /^application\/(?:json|[!#$&\-^_.+a-z0-9]+\+json)$/i
const CHARSET = /^charset=(?:"([^"]*)"|(.*))$/i

/** The bytes of a document and what came with them. */
export type FetchedDocument = Pick<OutboundAnswer, 'body' | 'headers'>

/**
 * Fetches one document, once.
 * @param url - an identifier without a fault, or the address of a client's keys
 * @throws DocumentError
 * @see assistants.md 2.3
 */
export async function fetchDocument(
  outbound: Outbound,
  url: string,
  maxBytes: number = MAX_DOCUMENT_BYTES,
): Promise<FetchedDocument> {
  let answer: OutboundAnswer
  try {
    answer = await outbound.request(url, {
      method: 'GET',
      headers: { Accept: 'application/json', 'User-Agent': 'svc-client-metadata' },
      maxBytes,
      connectMs: CONNECT_MS,
      totalMs: TOTAL_MS,
      isTrusted: isLoopbackClientId(url),
    })
  } catch (error) {
    throw isOutboundError(error) ? errorOf(error) : error
  }
  const { status, headers } = answer
  if (status !== 200) throw new DocumentError({ kind: 'status', status }, 'status')
  const encoding = headers['content-encoding']
  if (encoding !== undefined) throw new DocumentError({ kind: 'invalid' }, 'content_encoding')
  if (!isJsonType(headers['content-type'] ?? '')) {
    throw new DocumentError({ kind: 'invalid' }, 'media_type')
  }
  return answer
}

function errorOf(cause: OutboundError): DocumentError {
  const { kind, reason, status } = cause
  // The answer began with what decides it already.
  if (status !== undefined && status !== 200) {
    return new DocumentError({ kind: 'status', status }, 'status', { cause })
  }
  if (kind === 'timeout') return new DocumentError({ kind }, reason, { cause })
  if (kind === 'too_large' || kind === 'malformed') {
    return new DocumentError({ kind: 'invalid' }, kind, { cause })
  }
  return new DocumentError({ kind: 'unreachable' }, reason, { cause })
}

function isJsonType(header: string): boolean {
  const [type = '', ...parameters] = header.split(';').map((part) => part.trim())
  if (!MEDIA_TYPE.test(type)) return false
  return parameters.every((parameter) => {
    const [is, quoted, plain = ''] = CHARSET.exec(parameter) ?? []
    return is === undefined || /^utf-?8$/i.test(quoted ?? plain)
  })
}
