import { SECOND_MS } from '@svc/platform'
import type { AccountType } from '../account-types/account-type.ts'
import { type AnswerRecord, isRecord, valueAt } from './answer-body.ts'
import type { TokenSet } from './provider.ts'

/** What was asked for. */
export type TokenKind = 'exchange' | 'refresh'

const MAX_TOKEN_CHARACTERS = 16_384
const MAX_TYPE_CHARACTERS = 256
const PRINTABLE = /^[\x20-\x7e]+$/
/** Kept apart, so never in `rest`. @see connectors.md 7.2 */
const CREDENTIALS = new Set(['access_token', 'refresh_token', 'token_type', 'expires_in'])

/**
 * The tokens of an answer that is no error; undefined when there are none to be used.
 * @param receivedAt - milliseconds since the epoch
 * @see connectors.md 6.3 (4) to (11)
 */
export function tokenSetOf(
  type: AccountType,
  record: AnswerRecord,
  kind: TokenKind,
  receivedAt: number,
): TokenSet | undefined {
  const holder = holderOf(type, record, kind)
  if (holder === undefined) return undefined
  const idToken = usable(holder['id_token'])
  const accessToken = isGiven(holder['access_token']) ? usable(holder['access_token']) : idToken
  if (accessToken === undefined) return undefined
  const refreshToken = holder['refresh_token']
  if (typeof refreshToken === 'string' && refreshToken.length > MAX_TOKEN_CHARACTERS) {
    return undefined
  }
  const expiresAt =
    endOfRelative([holder['expires_in'], holder['expires']], receivedAt) ??
    endOfAbsolute(holder['expires_at'], receivedAt)
  const refreshExpiresAt = endOfRelative(
    [holder['refresh_token_expires_in'], holder['refresh_expires_in']],
    receivedAt,
  )
  const scope = type.scopeFrom === 'token' ? scopeOf(holder['scope'], type) : undefined
  return {
    accessToken,
    tokenType: tokenTypeOf(holder['token_type']),
    ...(expiresAt !== undefined && { expiresAt }),
    ...(typeof refreshToken === 'string' && refreshToken !== '' && { refreshToken }),
    ...(refreshExpiresAt !== undefined && { refreshExpiresAt }),
    ...(scope !== undefined && { scope }),
    ...(idToken !== undefined && { idToken }),
    rest: restOf(record, type.tokenResponsePath),
  }
}

/** Some nest only the answer to a code, and answer a refresh flat (Slack). */
function holderOf(
  type: AccountType,
  record: AnswerRecord,
  kind: TokenKind,
): AnswerRecord | undefined {
  const nested = valueAt(record, type.tokenResponsePath)
  const hasTokens =
    isRecord(nested) && (isGiven(nested['access_token']) || isGiven(nested['id_token']))
  if (hasTokens) return nested
  return kind === 'refresh' ? record : undefined
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null
}

function usable(token: unknown): string | undefined {
  const isUsable =
    typeof token === 'string' && token.length <= MAX_TOKEN_CHARACTERS && PRINTABLE.test(token)
  return isUsable ? token : undefined
}

function tokenTypeOf(value: unknown): string {
  if (!isGiven(value) || value === '') return 'Bearer'
  return typeof value === 'string' ? value.slice(0, MAX_TYPE_CHARACTERS) : typeof value
}

/** Split by the type's separator and by comma (D38), joined by spaces. */
function scopeOf(value: unknown, type: AccountType): string | undefined {
  const given: readonly unknown[] = Array.isArray(value) ? value : [value]
  const texts = given.filter((item) => typeof item === 'string')
  if (texts.length === 0) return undefined
  const scopes = texts
    .flatMap((text) => (type.scopeSeparator === '' ? [text] : text.split(type.scopeSeparator)))
    .flatMap((text) => text.split(/[\s,]+/))
    .filter((scope) => PRINTABLE.test(scope))
  const joined = [...new Set(scopes)].join(' ')
  return joined.length > MAX_TOKEN_CHARACTERS ? undefined : joined
}

/** The answer without its credentials, those of the nested object too. */
function restOf(record: AnswerRecord, path: readonly string[]): AnswerRecord {
  const rest: Record<string, unknown> = Object.create(null)
  const [nested, ...below] = path
  for (const [name, value] of Object.entries(record)) {
    if (CREDENTIALS.has(name)) continue
    rest[name] = name === nested && isRecord(value) ? restOf(value, below) : value
  }
  return rest
}

const CENTURY_S = 100 * 365.25 * 86_400
/** Epoch times above are milliseconds: in seconds this is the year 5138. */
const HIGHEST_EPOCH_S = 1e11
const NUMBER = /^\s*\d{1,20}(?:\.\d{1,20})?\s*$/
const ISO_DATE =
  /^\s*(\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)\s*(Z|[+-]\d{2}:?\d{2})?\s*$/i

/** When the first usable one of these ends, given as seconds from now. Milliseconds since the epoch. */
export function endOfRelative(values: readonly unknown[], receivedAt: number): number | undefined {
  return values
    .map((value) => within(numberOf(value), receivedAt))
    .find((instant) => instant !== undefined)
}

/**
 * An instant given as epoch seconds, epoch milliseconds or ISO date; without an offset it is UTC. Undefined when it is
 * none, lies in the past or beyond 100 years. Milliseconds since the epoch.
 * @see connectors.md 6.3 (7)
 */
export function endOfAbsolute(value: unknown, receivedAt: number): number | undefined {
  const instant = instantOf(value)
  return instant === undefined
    ? undefined
    : within((instant - receivedAt) / SECOND_MS, receivedAt, instant)
}

function within(
  seconds: number | undefined,
  receivedAt: number,
  instant: number = receivedAt + Math.floor(seconds ?? 0) * SECOND_MS,
): number | undefined {
  const isUsable = seconds !== undefined && seconds > 0 && seconds <= CENTURY_S
  return isUsable && instant > receivedAt ? instant : undefined
}

function instantOf(value: unknown): number | undefined {
  const number = numberOf(value)
  if (number !== undefined) {
    return Math.floor(number > HIGHEST_EPOCH_S ? number : number * SECOND_MS)
  }
  const [, time, offset = 'Z'] = (typeof value === 'string' && ISO_DATE.exec(value)) || []
  if (time === undefined) return undefined
  const instant = Date.parse(`${time.replace(' ', 'T')}${offset}`)
  return Number.isNaN(instant) ? undefined : instant
}

function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined
  return typeof value === 'string' && NUMBER.test(value) ? Number(value) : undefined
}
