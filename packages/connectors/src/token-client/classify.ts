import type { OutboundAnswer, OutboundError } from '@svc/platform'
import type { AccountType } from '../account-types/account-type.ts'
import { parseAnswerBody } from './answer-body.ts'
import { descriptionOf, errorCodesOf } from './provider-errors.ts'
import type { FailureClass, TokenResult } from './provider.ts'
import { type TokenKind, tokenSetOf } from './token-set.ts'

/** A result with what only its log line says. */
export interface Classified {
  readonly result: TokenResult
  /** Not yet fit for logs. */
  readonly description?: string
}

const REVOKED: readonly string[] = ['invalid_grant', 'invalid_token', 'BAD_REFRESH_TOKEN']
/** OpenID Connect Core 3.1.2.6: only the owner can do what the provider wants before it gives tokens again. */
const REVOKED_AT_REFRESH: readonly string[] = [
  'consent_required',
  'interaction_required',
  'login_required',
]
const CONFIG: readonly string[] = [
  'invalid_client',
  'unauthorized_client',
  'unsupported_grant_type',
]
/** Request Timeout, Too Early. */
const PASSING = new Set([408, 425])
const LATER: readonly string[] = ['server_error', 'temporarily_unavailable']

/**
 * What an answer of a token endpoint means.
 * @param receivedAt - milliseconds since the epoch
 * @see connectors.md 6.3, 8.4
 */
export function classifyAnswer(
  type: AccountType,
  kind: TokenKind,
  answer: OutboundAnswer,
  receivedAt: number,
): Classified {
  const { status } = answer
  if (status >= 300 && status < 400) return failed('invalid', 'redirect')
  const record = parseAnswerBody(answer.body)
  const isSuccess = status >= 200 && status < 300
  const codes = record === undefined ? [] : errorCodesOf(type, record, isSuccess)
  if (isSuccess && codes.length === 0) {
    const tokens = record && tokenSetOf(type, record, kind, receivedAt)
    if (tokens !== undefined) {
      // A token of another type is no password of its bearer: it would be sent as one.
      if (!isTokenTypeOf(type, tokens.tokenType)) return failed('invalid', 'token_type')
      return { result: { ok: true, tokens } }
    }
    return failed('invalid', record === undefined ? 'body' : 'no_token')
  }
  const description = record && descriptionOf(record)
  const retryAfterS = retryAfterOf(answer.headers['retry-after'], receivedAt)
  const failure = classOf(type, kind, status, codes)
  return {
    result: {
      ok: false,
      class: failure,
      // The status alone says nothing new.
      reason: codes.find((code) => code !== String(status)) ?? codes[0] ?? `http_${status}`,
      ...(failure === 'error' && status === 400 && { isUnknownRefusal: true }),
      ...(retryAfterS !== undefined && { retryAfterS }),
    },
    ...(description !== undefined && { description }),
  }
}

/** What it means that no answer came. */
export function classifyFailure(error: OutboundError): Classified {
  return failed(CLASSES[error.kind], error.kind)
}

const CLASSES: Readonly<Record<OutboundError['kind'], FailureClass>> = {
  // Not told apart from other failures: no hint about addresses. connectors.md 10
  refused: 'error',
  unreachable: 'unavailable',
  timeout: 'timeout',
  too_large: 'invalid',
  malformed: 'invalid',
}

function classOf(
  type: AccountType,
  kind: TokenKind,
  status: number,
  codes: readonly string[],
): FailureClass {
  const isOneOf = (...lists: readonly (readonly string[])[]): boolean =>
    codes.some((code) => lists.some((list) => list.includes(code)))
  if (isOneOf(REVOKED, type.revokedErrors)) return 'revoked'
  if (kind === 'refresh' && isOneOf(REVOKED_AT_REFRESH)) return 'revoked'
  if (isOneOf(CONFIG, type.configErrors)) return 'config'
  if (status === 429) return 'limited'
  if (isOneOf(LATER, type.laterErrors) || PASSING.has(status) || status >= 500) return 'unavailable'
  return status === 401 ? 'config' : 'error'
}

function isTokenTypeOf({ tokenTypes }: AccountType, sent: string): boolean {
  return ['bearer', ...tokenTypes].some((known) => known.toLowerCase() === sent.toLowerCase())
}

function failed(failure: FailureClass, reason: string): Classified {
  return { result: { ok: false, class: failure, reason } }
}

const SECONDS = /^\d{1,9}$/

/**
 * `Retry-After` in seconds, from now; undefined when it is not there or not understood.
 * @param now - milliseconds since the epoch
 * @see RFC 9110 10.2.3
 */
export function retryAfterOf(header: string | undefined, now: number): number | undefined {
  const text = header?.trim() ?? ''
  if (SECONDS.test(text)) return Number(text)
  // Other forms of dates are read as local time.
  if (!text.endsWith('GMT')) return undefined
  const instant = Date.parse(text)
  return Number.isNaN(instant) ? undefined : Math.max(0, Math.ceil((instant - now) / 1000))
}
