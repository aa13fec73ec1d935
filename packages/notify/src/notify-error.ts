import { type CodedError, defineErrors, type ErrorClass, type ErrorFault } from '@svc/platform'

/**
 * Every error this package answers with.
 * @see notifications.md 3.5
 * @example
 * const { status, text } = ERRORS.malformed_json
 */
export const ERRORS = {
  malformed_json: {
    status: 400,
    title: 'Bad Request',
    text: 'The body is no JSON, or not of the form that it has to have.',
    source: 'notifications.md 3.5',
  },
  invalid_notification: {
    status: 400,
    title: 'Bad Request',
    text: 'The notification as a whole cannot be taken.',
    source: 'notifications.md 3.5',
  },
  invalid_request: {
    status: 400,
    title: 'Bad Request',
    text: 'A parameter or a header is malformed; `detail` names it.',
    source: 'notifications.md 3.5',
  },
  not_authorized: {
    status: 403,
    title: 'Forbidden',
    text: 'Who holds this token cannot post notifications at all.',
    source: 'notifications.md 3.5',
  },
  insufficient_scope: {
    status: 403,
    title: 'Forbidden',
    text: 'The token does not reach notifications. Ask the owner for the permission.',
    source: 'notifications.md 3.5',
  },
  no_category: {
    status: 403,
    title: 'Forbidden',
    text: 'The poster declared no categories of notifications.',
    source: 'notifications.md 3.5',
  },
  category_not_found: {
    status: 403,
    title: 'Forbidden',
    text: 'The poster did not declare this category.',
    source: 'notifications.md 3.5',
  },
  app_not_found: {
    status: 404,
    title: 'Not Found',
    text: 'The app that the notification is posted for is not installed.',
    source: 'notifications.md 3.5',
  },
  not_found: {
    status: 404,
    title: 'Not Found',
    text: 'There is no such notification, or it is not for the caller to see.',
    source: 'notifications.md 3.5',
  },
  not_cancellable: {
    status: 409,
    title: 'Conflict',
    text: 'The notification was sent, or ended otherwise; `detail` has its state.',
    source: 'notifications.md 3.5',
  },
  conflict: {
    status: 409,
    title: 'Conflict',
    text: 'It was changed by another request at the same time. Read it and try again.',
    source: 'notifications.md 3.5',
  },
  idempotency_in_progress: {
    status: 409,
    title: 'Conflict',
    text: 'A request with this idempotency key is being worked on. Try again later.',
    source: 'notifications.md 3.5',
  },
  invalid_attribute: {
    status: 422,
    title: 'Invalid Attribute',
    text: 'An attribute is out of its range; `source.pointer` leads to it.',
    source: 'notifications.md 3.5',
  },
  not_multiple: {
    status: 422,
    title: 'Invalid Attribute',
    text: 'The category is not one for several sources: `category_id` has to be left out.',
    source: 'notifications.md 3.5',
  },
  state_required: {
    status: 422,
    title: 'Invalid Attribute',
    text: 'The category compares states: `state` is mandatory.',
    source: 'notifications.md 3.5',
  },
  invalid_at: {
    status: 422,
    title: 'Invalid Attribute',
    text: '`at` is no instant with a time zone.',
    source: 'notifications.md 3.5',
  },
  at_too_old: {
    status: 422,
    title: 'Invalid Attribute',
    text: '`at` is too far in the past.',
    source: 'notifications.md 3.5',
  },
  at_too_far: {
    status: 422,
    title: 'Invalid Attribute',
    text: '`at` is too far ahead.',
    source: 'notifications.md 3.5',
  },
  idempotency_key_reused: {
    status: 422,
    title: 'Unprocessable Content',
    text: 'The idempotency key was used for another notification. Take a new one.',
    source: 'notifications.md 3.5',
  },
  rate_limited: {
    status: 429,
    title: 'Too Many Requests',
    text: 'Too many notifications were posted. Try again after `Retry-After`.',
    source: 'notifications.md 3.5',
  },
  too_many_pending: {
    status: 429,
    title: 'Too Many Requests',
    text: 'Too many notifications of this source wait to be sent. Try again after `Retry-After`, or cancel some.',
    source: 'notifications.md 3.5',
  },
  unavailable: {
    status: 503,
    title: 'Service Unavailable',
    text: 'The store cannot be reached. Try again after `Retry-After`.',
    source: 'notifications.md 3.5',
  },
} as const

/**
 * What posts and choices of notifications are refused with: `code` of a `NotifyError` and of the answer. Status and text
 * are those of `ERRORS`; `docs/errors.md` of the repository says what a client does about each.
 */
export type NotifyErrorCode = keyof typeof ERRORS

/** An error of this package; `code` names a row of {@link ERRORS}. */
export const NotifyError: ErrorClass<NotifyErrorCode> = defineErrors('NotifyError', ERRORS)
export type NotifyError = CodedError<NotifyErrorCode>

/**
 * One thing that is wrong with a request.
 * @example
 * const fault: NotifyFault = { code: 'malformed_json', description: 'the body is no JSON' }
 */
export type NotifyFault = ErrorFault<NotifyErrorCode>
