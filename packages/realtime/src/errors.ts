import { type CodedError, defineErrors, type ErrorClass } from '@svc/platform'

/**
 * Every error of this package that is answered over HTTP, beside those of `@svc/oauth-core`.
 * @example
 * const { status, text } = ERRORS.upgrade_required
 */
export const ERRORS = {
  shutting_down: {
    status: 503,
    description: 'the server is shutting down',
    text: 'The server ends. Connect again after `Retry-After`.',
    source: 'security.md 118',
  },
  unsupported_version: {
    status: 400,
    description: 'malformed websocket handshake',
    text: 'The handshake is malformed, or of another version than `Sec-WebSocket-Version` says.',
    source: 'RFC 6455 4.2.2',
  },
  upgrade_required: {
    status: 426,
    description: 'a websocket is served here',
    text: 'This address takes websocket handshakes only.',
    source: 'RFC 9110 15.5.22',
  },
} as const

/**
 * What an upgrade to a websocket is refused with. Status and text are those of `ERRORS`.
 * @see docs/errors.md of the repository
 */
export type RealtimeErrorCode = keyof typeof ERRORS

/**
 * An error of this package; `code` names a row of {@link ERRORS}.
 * @example
 * if (error instanceof RealtimeError && error.code === 'shutting_down') return
 */
export const RealtimeError: ErrorClass<RealtimeErrorCode> = defineErrors('RealtimeError', ERRORS)
export type RealtimeError = CodedError<RealtimeErrorCode>
