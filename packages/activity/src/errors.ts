import { type CodedError, defineErrors, type ErrorClass } from '@svc/platform'

/**
 * Every error of this package that is answered over HTTP.
 * @example
 * const { status, text } = ERRORS.rate_limited
 */
export const ERRORS = {
  confirmation_required: {
    status: 403,
    description: 'a fresh confirmation is needed',
    text: 'The owner has to confirm with the passphrase first: `GET /auth/confirm`.',
    source: 'owner.md 5.7; login.md 6',
  },
  invalid_request: {
    status: 400,
    description: 'a parameter is malformed',
    text: 'A parameter is malformed; the description names it.',
    source: 'owner.md 5.7',
  },
  rate_limited: {
    status: 429,
    description: 'too many requests',
    text: 'Ask again after `Retry-After`.',
    source: 'owner.md 5.7',
  },
} as const

/**
 * What the routes of the record refuse with: `code` of an `ActivityError` and of the answer. Status and text are those of
 * `ERRORS`; `docs/errors.md` of the repository says what a client does about each.
 */
export type ActivityErrorCode = keyof typeof ERRORS

/**
 * An error of this package; `code` names a row of {@link ERRORS}.
 * @example
 * if (error instanceof ActivityError && error.code === 'confirmation_required') return
 */
export const ActivityError: ErrorClass<ActivityErrorCode> = defineErrors('ActivityError', ERRORS)
export type ActivityError = CodedError<ActivityErrorCode>
