import { type CodedError, defineErrors, type ErrorClass } from '@svc/platform'

/**
 * Every error of this package that is answered over HTTP, beside those of `@svc/oauth-core`.
 * @example
 * const { status, text } = ERRORS.mcp_origin
 */
export const ERRORS = {
  mcp_too_many_calls: {
    status: 429,
    description: 'too many calls',
    text: 'A client calls tools many times more often than it may. Try again after `Retry-After`.',
    source: 'assistants.md 6.8',
  },
  mcp_origin: {
    status: 403,
    description: 'origin not allowed',
    text: 'A page of an origin that is opaque, malformed or not encrypted sent the request, or of one that the operator does not allow.',
    source: 'assistants.md 1.8',
  },
} as const

/**
 * What a request of an assistant is refused with before a tool is called: `code` of the answer. Status and text are those
 * of `ERRORS`. @see docs/errors.md of the repository
 */
export type McpErrorCode = keyof typeof ERRORS

/**
 * An error of this package; `code` names a row of {@link ERRORS}.
 * @example
 * if (error instanceof McpError && error.code === 'mcp_too_many_calls') return
 */
export const McpError: ErrorClass<McpErrorCode> = defineErrors('McpError', ERRORS)
export type McpError = CodedError<McpErrorCode>
