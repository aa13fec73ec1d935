import type { ErrorObject } from '@svc/platform'

export type NotifyErrorCode =
  | 'malformed_json'
  | 'invalid_notification'
  | 'invalid_request'
  | 'not_authorized'
  | 'insufficient_scope'
  | 'no_category'
  | 'category_not_found'
  | 'app_not_found'
  | 'not_found'
  | 'not_cancellable'
  | 'conflict'
  | 'idempotency_in_progress'
  | 'invalid_attribute'
  | 'not_multiple'
  | 'state_required'
  | 'invalid_at'
  | 'at_too_old'
  | 'at_too_far'
  | 'idempotency_key_reused'
  | 'rate_limited'
  | 'too_many_pending'
  | 'unavailable'

/** Codes of this package's answers with status and title. @see notifications.md 3.5 */
export const ERRORS: Readonly<
  Record<NotifyErrorCode, { readonly status: number; readonly title: string }>
> = {
  malformed_json: { status: 400, title: 'Bad Request' },
  invalid_notification: { status: 400, title: 'Bad Request' },
  invalid_request: { status: 400, title: 'Bad Request' },
  not_authorized: { status: 403, title: 'Forbidden' },
  insufficient_scope: { status: 403, title: 'Forbidden' },
  no_category: { status: 403, title: 'Forbidden' },
  category_not_found: { status: 403, title: 'Forbidden' },
  app_not_found: { status: 404, title: 'Not Found' },
  not_found: { status: 404, title: 'Not Found' },
  not_cancellable: { status: 409, title: 'Conflict' },
  conflict: { status: 409, title: 'Conflict' },
  idempotency_in_progress: { status: 409, title: 'Conflict' },
  invalid_attribute: { status: 422, title: 'Invalid Attribute' },
  not_multiple: { status: 422, title: 'Invalid Attribute' },
  state_required: { status: 422, title: 'Invalid Attribute' },
  invalid_at: { status: 422, title: 'Invalid Attribute' },
  at_too_old: { status: 422, title: 'Invalid Attribute' },
  at_too_far: { status: 422, title: 'Invalid Attribute' },
  idempotency_key_reused: { status: 422, title: 'Unprocessable Content' },
  rate_limited: { status: 429, title: 'Too Many Requests' },
  too_many_pending: { status: 429, title: 'Too Many Requests' },
  unavailable: { status: 503, title: 'Service Unavailable' },
}

/** One thing that is wrong. */
export interface NotifyFault {
  readonly code: NotifyErrorCode
  readonly detail?: string
  /** JSON pointer into the body. */
  readonly pointer?: string
}

/** What the renderer of `@svc/oauth-core` answers as JSON:API; all faults share the status of the first. */
export class NotifyError extends Error {
  override readonly name: string = 'NotifyError'
  readonly code: NotifyErrorCode
  readonly status: number
  readonly expose: boolean = true
  readonly headers: Readonly<Record<string, string>>
  readonly errors: readonly ErrorObject[]

  constructor(
    faults: readonly [NotifyFault, ...NotifyFault[]],
    options: { readonly retryAfterS?: number; readonly cause?: unknown } = {},
  ) {
    const [{ code }] = faults
    super(code, options.cause === undefined ? {} : { cause: options.cause })
    this.code = code
    this.status = ERRORS[code].status
    this.headers =
      options.retryAfterS === undefined ? {} : { 'Retry-After': String(options.retryAfterS) }
    this.errors = faults.map((fault) => ({
      code: fault.code,
      title: ERRORS[fault.code].title,
      ...(fault.detail !== undefined && { detail: fault.detail }),
      ...(fault.pointer !== undefined && { source: { pointer: fault.pointer } }),
    }))
  }
}
