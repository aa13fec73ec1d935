import { type CodedError, defineErrors, type ErrorClass } from '../define-errors.ts'

/**
 * What the ground floor itself answers to a request.
 * @example
 * const { status, text } = REQUEST_ERRORS.not_found
 */
export const REQUEST_ERRORS = {
  bad_content_type: {
    status: 400,
    text: 'The body is of another type than the endpoint takes.',
    source: 'oauth.md 3.1',
  },
  blocked: {
    status: 503,
    description: 'the instance is blocked',
    text: 'The operator took the instance out of service.',
    source: 'login.md 4.8',
  },
  conflict: {
    status: 409,
    text: 'It was changed by another request at the same time. Read it and try again.',
    source: 'RFC 9110 15.5.10',
  },
  cross_origin: {
    status: 403,
    description: 'cross-origin request',
    text: 'A page of another origin sent the request.',
    source: 'login.md 4.4',
  },
  forbidden: {
    status: 403,
    text: 'The caller may not do this.',
    source: 'RFC 9110 15.5.4',
  },
  http_version_not_supported: {
    status: 505,
    text: 'The request is of HTTP/2, which the proxy in front speaks and this server does not.',
    source: 'RFC 9110 15.6.6',
  },
  instance_frozen: {
    status: 503,
    description: 'the instance is being copied',
    text: 'The instance is being exported and takes no changes for some seconds. Try again after `Retry-After`.',
    source: 'operation.md 4.3',
  },
  instance_moving: {
    status: 503,
    description: 'the instance is being moved',
    text: 'The instance moves to another server, or comes from one. Try again after `Retry-After`.',
    source: 'operation.md 4.3',
  },
  internal_error: {
    status: 500,
    isHidden: true,
    text: 'Something broke; the log has the reason under the id in `X-Request-Id`.',
    source: 'security.md 115',
  },
  invalid_request: {
    status: 400,
    text: 'A parameter, a header or the body is malformed; the description names it.',
    source: 'RFC 6749 5.2',
  },
  method_not_allowed: {
    status: 405,
    text: 'The path takes other methods; `Allow` lists them.',
    source: 'RFC 9110 15.5.6',
  },
  not_found: {
    status: 404,
    description: 'not found',
    text: 'There is no such host, path or thing.',
    source: 'RFC 9110 15.5.5',
  },
  payload_too_large: {
    status: 413,
    text: 'The body is larger than the endpoint takes.',
    source: 'security.md 14',
  },
  too_many_requests: {
    status: 429,
    text: 'A limit is reached. Try again after `Retry-After`.',
    source: 'RFC 6585 4',
  },
  unsupported_media_type: {
    status: 415,
    text: 'The body is of a type, or has a content encoding, that the endpoint does not take.',
    source: 'security.md 21',
  },
} as const

/**
 * What a request is refused with before a handler sees it. Status and text are those of `REQUEST_ERRORS`.
 * @see docs/errors.md of the repository
 */
export type RequestErrorCode = keyof typeof REQUEST_ERRORS

/**
 * A refusal that no package has of its own; `code` names a row of {@link REQUEST_ERRORS}.
 * @example
 * throw new RequestError('forbidden')
 */
export const RequestError: ErrorClass<RequestErrorCode> = defineErrors(
  'RequestError',
  REQUEST_ERRORS,
)
export type RequestError = CodedError<RequestErrorCode>
