import type { AccountType } from '../account-types/account-type.ts'
import { type AnswerRecord, isRecord, valueAt } from './answer-body.ts'

const MAX_CHARACTERS = 200
/** A provider that repeats such short values tells nothing. */
const SHORTEST_SECRET = 6
const UNNAMED = 'unnamed_error'

/** Where providers put codes of errors besides `error`, the most telling first. @see connectors.md 6.3 (3) */
const ERROR_PATHS: readonly (readonly string[])[] = [
  ['status'],
  ['errors'],
  ['errors', 'code'],
  ['errors', 'errorType'],
  ['errors', 'type'],
  ['errors', 'message'],
  ['message'],
]
const MAX_CODES = 50

/**
 * Every code that an answer gives for an error, the most telling first; empty when it is no error.
 * @param isSuccess - whether the status is one of success: then only `error`, `ok` and the type's own status tell of one
 * @see connectors.md 6.3 (3)
 */
export function errorCodesOf(
  type: AccountType,
  record: AnswerRecord,
  isSuccess: boolean,
): readonly string[] {
  const nested = valueAt(record, type.tokenResponsePath)
  const stated = [
    ...codesOf(record['error']),
    ...(isRecord(nested) && nested !== record ? codesOf(nested['error']) : []),
    ...statusCodes(type, record),
  ]
  const isRefused = record['ok'] === false
  if (isSuccess && stated.length === 0 && !isRefused) return []
  const others = [...type.errorPaths, ...ERROR_PATHS].flatMap((path) => textsAt(record, path))
  const codes = [...stated, ...others].slice(0, MAX_CODES)
  return codes.length === 0 && isRefused ? ['not_ok'] : codes
}

/** What the provider says about an error, for its log line. */
export function descriptionOf(record: AnswerRecord): string | undefined {
  const { error, error_description: description, message } = record
  const texts = [description, isRecord(error) ? error['message'] : undefined, message]
  return texts.find((text) => typeof text === 'string')
}

/** A provider's text as logs may show it: nothing that was sent, no control characters, at most 200 characters. */
export function loggable(text: string, secrets: readonly string[]): string {
  // First of all: a secret with such characters in between would become whole again.
  let shown = text.replaceAll(/\p{C}/gu, '')
  for (const secret of secrets) {
    if (secret.length < SHORTEST_SECRET) continue
    shown = shown.replaceAll(secret, '[redacted]')
    shown = shown.replaceAll(encodeURIComponent(secret), '[redacted]')
  }
  return shown.slice(0, MAX_CHARACTERS)
}

function codesOf(error: unknown): readonly string[] {
  if (typeof error !== 'object' || error === null) return error === true ? [UNNAMED] : textOf(error)
  // Some write an empty list or object for "none".
  if (Object.keys(error).length === 0) return []
  const { type, code, message } = isRecord(error) ? error : {}
  const codes = [type, code, message].flatMap((value) => textOf(value))
  return codes.length === 0 ? [UNNAMED] : codes
}

/** `status` other than 0 in a 200 of Withings. */
function statusCodes(type: AccountType, record: AnswerRecord): readonly string[] {
  if (type.errorStatusPath === undefined) return []
  return textOf(valueAt(record, type.errorStatusPath)).filter((status) => status !== '0')
}

/** Of each item where the path leads through a list; members joined with `+` are one text. */
function textsAt(value: unknown, path: readonly string[]): readonly string[] {
  if (Array.isArray(value)) {
    return value
      .slice(0, MAX_CODES)
      .flatMap((item) => (Array.isArray(item) ? [] : textsAt(item, path)))
  }
  const [name, ...below] = path
  if (name === undefined) return textOf(value)
  if (!isRecord(value)) return []
  if (!name.includes('+')) return textsAt(value[name], below)
  const joined = name.split('+').flatMap((each) => textOf(value[each]))
  return joined.length === 0 ? [] : [joined.join('.')]
}

function textOf(value: unknown): readonly string[] {
  if (typeof value === 'number' && value !== 0) return [String(value)]
  return typeof value === 'string' && value !== '' ? [value] : []
}
