import { MAX_ECHO_LENGTH } from '../limits.ts'

/** What the server says over the socket before it goes on, or closes. @see realtime.md 4 */
export const SOCKET_ERRORS = {
  bad_message: {
    status: '400 Bad Request',
    code: 'bad request',
    title: 'The message is not valid JSON',
  },
  bad_payload: {
    status: '400 Bad Request',
    code: 'bad request',
    title: 'The payload is not valid',
  },
  forbidden: {
    status: '403 Forbidden',
    code: 'forbidden',
    title: "The application can't subscribe to %",
  },
  no_type: {
    status: '404 Page Not Found',
    code: 'page not found',
    title: 'The type parameter is mandatory for SUBSCRIBE',
  },
  too_many_messages: {
    status: '429 Too Many Requests',
    code: 'too many requests',
    title: 'Too many messages',
  },
  too_many_subscriptions: {
    status: '429 Too Many Requests',
    code: 'too many requests',
    title: 'Too many subscriptions',
  },
  unauthorized: {
    status: '401 Unauthorized',
    code: 'unauthorized',
    title: 'The authentication has failed',
  },
  unknown_method: {
    status: '405 Method Not Allowed',
    code: 'method not allowed',
    title: 'The % method is not supported',
  },
} as const

export type SocketErrorCode = keyof typeof SOCKET_ERRORS

/** The command that an error is about, as far as it is sent back; null when there was none to be read. */
export interface CommandSource {
  readonly method?: string
  readonly payload?: Readonly<Record<string, unknown>>
}

/** @param about - what the title names: a method or a type */
export function errorFrame(
  name: SocketErrorCode,
  source: CommandSource | null,
  about = '',
): Buffer {
  const { status, code, title } = SOCKET_ERRORS[name]
  const named = title.replace('%', () => about.slice(0, MAX_ECHO_LENGTH))
  return Buffer.from(
    JSON.stringify({ event: 'error', payload: { status, code, title: named, source } }),
  )
}

/** Why a connection ends. @see realtime.md 5 */
export interface CloseReason {
  readonly code: number
  readonly reason: string
}

type CloseName =
  | 'authenticationFailed'
  | 'authenticationTimeout'
  | 'badMessage'
  | 'clientRevoked'
  | 'internalError'
  | 'serverShutdown'
  | 'sessionClosed'
  | 'textOnly'
  | 'tokenExpired'
  | 'tooManyMessages'
  | 'tooSlow'

export const CLOSE: Readonly<Record<CloseName, CloseReason>> = {
  authenticationFailed: { code: 1008, reason: 'authentication failed' },
  authenticationTimeout: { code: 1008, reason: 'authentication timeout' },
  badMessage: { code: 1007, reason: '' },
  clientRevoked: { code: 1008, reason: 'client revoked' },
  internalError: { code: 1011, reason: 'internal error' },
  serverShutdown: { code: 1001, reason: 'server shutdown' },
  sessionClosed: { code: 1008, reason: 'session closed' },
  textOnly: { code: 1003, reason: 'text frames only' },
  tokenExpired: { code: 1008, reason: 'token expired' },
  tooManyMessages: { code: 1008, reason: 'too many messages' },
  tooSlow: { code: 1013, reason: 'too slow' },
}
