import { VERSIONS } from './versions.ts'

/** Errors of the protocol. Texts are fixed: nothing of the request is repeated. @see assistants.md 6.9 */
const MESSAGES: Readonly<Record<number, string>> = {
  [-32_700]: 'the request is not JSON',
  [-32_600]: 'the request is not one message of the protocol',
  [-32_601]: 'there is no such method',
  [-32_602]: 'the parameters are not those of the method',
  [-32_603]: 'the server failed',
  [-32_020]: 'headers and body disagree',
  [-32_022]: 'the version of the protocol is not supported',
}

export const NOT_JSON = -32_700
export const NOT_A_REQUEST = -32_600
export const NO_METHOD = -32_601
export const BAD_PARAMS = -32_602
export const UNSUPPORTED_VERSION = -32_022

/** Id of a request; null where none can be known. */
export type MessageId = string | number | null

/** The id of what was sent, when it is one message. */
export function idOf(body: unknown): MessageId {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return null
  const { id, method } = body as { readonly id?: unknown; readonly method?: unknown }
  if (typeof method !== 'string') return null
  return typeof id === 'string' || typeof id === 'number' ? id : null
}

export function errorMessage(
  id: MessageId,
  code: number,
  options: { readonly message?: string; readonly data?: unknown } = {},
): object {
  const { message = MESSAGES[code] ?? 'the request failed', data } = options
  return { jsonrpc: '2.0', error: { code, message, ...(data !== undefined && { data }) }, id }
}

/** The refusal of a version, with those that are taken. */
export function unsupportedVersion(id: MessageId, requested: string): object {
  const data = { supported: VERSIONS, requested: requested.slice(0, MAX_VERSION) }
  return errorMessage(id, UNSUPPORTED_VERSION, { data })
}

const MAX_VERSION = 32

/** Longer texts are results: errors of the library are short. */
const MAX_ERROR = 8192

/**
 * What the library answers, its errors in words of ours: its own repeat the request.
 * @param keep - codes whose words are ours already
 */
export function withOwnWords(text: string, keep: boolean): string {
  if (text.length > MAX_ERROR || !text.includes('"error"')) return text
  // The library serializes what it answers.
  const answer = JSON.parse(text) as {
    readonly id?: MessageId
    readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
  }
  if (answer.error === undefined) return text
  const { code, message, data } = answer.error
  const isData = code === UNSUPPORTED_VERSION && data !== undefined
  return JSON.stringify(
    errorMessage(answer.id ?? null, code, {
      ...(keep && { message }),
      ...(isData && { data }),
    }),
  )
}
