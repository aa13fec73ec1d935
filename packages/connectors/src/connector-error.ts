import type { ErrorObject } from '@svc/platform'

export type ConnectorErrorCode =
  | 'invalid_request'
  | 'invalid_slug'
  | 'invalid_scope'
  | 'bad_state'
  | 'grant_mode_not_interactive'
  | 'oauth_refresh_invalid_token'
  | 'login_required'
  | 'navigation_required'
  | 'forbidden'
  | 'account_type_not_found'
  | 'account_not_found'
  | 'account_not_refreshable'
  | 'invalid_account_type'
  | 'oauth_refresh_unavailable'
  | 'too_many_requests'
  | 'account_type_misconfigured'
  | 'oauth_provider_config_error'
  | 'oauth_provider_error'
  | 'oauth_provider_unavailable'
  | 'oauth_provider_rate_limited'
  | 'oauth_refresh_in_progress'
  | 'lock_unavailable'
  | 'oauth_provider_timeout'

/** Codes of this package's answers with status and title. @see connectors.md 10 */
export const ERRORS: Readonly<
  Record<ConnectorErrorCode, { readonly status: number; readonly title: string }>
> = {
  invalid_request: { status: 400, title: 'Bad Request' },
  invalid_slug: { status: 400, title: 'Bad Request' },
  invalid_scope: { status: 400, title: 'Bad Request' },
  bad_state: { status: 400, title: 'Bad Request' },
  grant_mode_not_interactive: { status: 400, title: 'Bad Request' },
  oauth_refresh_invalid_token: { status: 401, title: 'Unauthorized' },
  login_required: { status: 403, title: 'Forbidden' },
  navigation_required: { status: 403, title: 'Forbidden' },
  forbidden: { status: 403, title: 'Forbidden' },
  account_type_not_found: { status: 404, title: 'Not Found' },
  account_not_found: { status: 404, title: 'Not Found' },
  account_not_refreshable: { status: 422, title: 'Unprocessable Content' },
  invalid_account_type: { status: 422, title: 'Unprocessable Content' },
  oauth_refresh_unavailable: { status: 422, title: 'Unprocessable Content' },
  too_many_requests: { status: 429, title: 'Too Many Requests' },
  account_type_misconfigured: { status: 500, title: 'Internal Server Error' },
  oauth_provider_config_error: { status: 502, title: 'Bad Gateway' },
  oauth_provider_error: { status: 502, title: 'Bad Gateway' },
  oauth_provider_unavailable: { status: 502, title: 'Bad Gateway' },
  oauth_provider_rate_limited: { status: 503, title: 'Service Unavailable' },
  oauth_refresh_in_progress: { status: 503, title: 'Service Unavailable' },
  lock_unavailable: { status: 503, title: 'Service Unavailable' },
  oauth_provider_timeout: { status: 504, title: 'Gateway Timeout' },
}

export interface ConnectorErrorOptions {
  /** A sentence for the developer of the client; never a secret, nothing of the provider's. */
  readonly detail?: string
  /** Seconds. */
  readonly retryAfterS?: number
  readonly cause?: unknown
}

/** What the renderer of `@svc/oauth-core` answers in the row's family. */
export class ConnectorError extends Error {
  override readonly name: string = 'ConnectorError'
  readonly code: ConnectorErrorCode
  readonly status: number
  readonly expose: boolean = true
  readonly description?: string
  readonly errors: readonly ErrorObject[]
  readonly headers: Readonly<Record<string, string>>

  constructor(code: ConnectorErrorCode, options: ConnectorErrorOptions = {}) {
    super(code, options.cause === undefined ? {} : { cause: options.cause })
    this.code = code
    this.status = ERRORS[code].status
    if (options.detail !== undefined) this.description = options.detail
    const detail = options.detail === undefined ? {} : { detail: options.detail }
    this.errors = [{ code, title: ERRORS[code].title, ...detail }]
    this.headers =
      options.retryAfterS === undefined ? {} : { 'Retry-After': String(options.retryAfterS) }
  }
}
