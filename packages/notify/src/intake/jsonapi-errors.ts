import { type ErrorObject, isHttpError, type RouteMiddleware } from '@svc/platform'
import { NotifyError } from '../notify-error.ts'

/** Maps errors of other packages to JSON:API. @see notifications.md 3.5 */
const WORDS: Readonly<Record<string, Omit<ErrorObject, 'code'>>> = {
  insufficient_scope: { title: 'Forbidden' },
  invalid_token: { title: 'Unauthorized', detail: 'Invalid JWT token' },
  missing_token: { title: 'Unauthorized', detail: 'No token in request' },
  payload_too_large: { title: 'Content Too Large' },
  unsupported_media_type: { title: 'Unsupported Media Type' },
}

/** Gives errors of tokens, bodies and the store the form and words of this package's answers. */
export const wordErrors: RouteMiddleware = async function wordErrors(ctx, next) {
  try {
    await next()
  } catch (error) {
    if (!isHttpError(error)) throw error
    const { code, headers } = error
    if (code === 'store_unavailable') {
      throw new NotifyError('unavailable', { retryAfterS: 5, cause: error })
    }
    // Of a parameter that is given twice the query is to blame.
    if (code === 'invalid_request' && !NotifyError.is(error)) {
      throw ctx.state.query.duplicate === undefined ? malformedJson(error) : error
    }
    const words = WORDS[code]
    if (words === undefined || error.errors !== undefined) throw error
    const isExpired = headers?.['WWW-Authenticate']?.includes('The access token expired') === true
    const detail = isExpired ? { detail: 'Expired token' } : {}
    // The shape of HttpError: `errors` is what the renderer sends.
    throw Object.assign(error, { errors: [{ code, ...words, ...detail }] })
  }
}

/** 400: the body is no JSON, or not of the form that it has to have. */
export function malformedJson(cause?: unknown): NotifyError {
  const description = 'JSON input is malformed or is missing mandatory fields'
  return new NotifyError('malformed_json', { description, cause })
}
