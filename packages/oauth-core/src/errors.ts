/** Every error this package answers with. `description` is what is sent unless the thrower gives another. */
export const ERRORS = {
  access_denied: { status: 403, source: 'RFC 6749 4.1.2.1' },
  bad_accept_header: { status: 400, source: 'oauth.md 3.1' },
  bad_content_type: { status: 400, source: 'oauth.md 3.1' },
  blocked: { status: 503, description: 'the instance is blocked', source: 'login.md 4.8' },
  client_limit: { status: 403, description: 'too many apps are connected', source: 'oauth.md 5.4' },
  client_not_found: { status: 404, description: 'Client not found', source: 'oauth.md 3.6' },
  conflict: { status: 409, source: 'oauth.md 3.7' },
  consent_outdated: { status: 400, source: 'decision D42' },
  cross_origin: { status: 403, description: 'cross-origin request', source: 'login.md 4.4' },
  deprecated_app: {
    status: 403,
    description: 'this app is no longer supported',
    source: 'oauth.md 5.6',
  },
  forbidden: { status: 403, source: 'oauth.md 3.3' },
  insufficient_scope: { status: 403, source: 'RFC 6750 3.1' },
  internal_error: { status: 500, source: 'security.md 115' },
  invalid_client: { status: 401, source: 'RFC 6749 5.2' },
  invalid_client_id: { status: 400, source: 'oauth.md 3.7' },
  invalid_client_metadata: { status: 400, source: 'RFC 7591 3.2.2' },
  invalid_client_secret: { status: 400, source: 'oauth.md 3.7' },
  invalid_grant: { status: 400, source: 'RFC 6749 5.2' },
  invalid_redirect_uri: { status: 400, source: 'RFC 7591 3.2.2' },
  invalid_request: { status: 400, source: 'RFC 6749 5.2' },
  invalid_scope: { status: 400, source: 'RFC 6749 5.2' },
  invalid_token: { status: 401, source: 'RFC 6750 3.1' },
  method_not_allowed: { status: 405, source: 'RFC 9110 15.5.6' },
  missing_token: { status: 401, source: 'oauth.md 7.2' },
  not_authenticated: {
    status: 401,
    description: 'You must be authenticated',
    source: 'oauth.md 5.3',
  },
  not_found: { status: 404, description: 'not found', source: 'RFC 9110 15.5.5' },
  nothing_chosen: { status: 400, source: 'decision D42' },
  payload_too_large: { status: 413, source: 'security.md 14' },
  temporarily_unavailable: { status: 503, source: 'oauth.md 6.2' },
  too_many_requests: { status: 429, source: 'oauth.md 2.6' },
  unapproved_software_id: { status: 400, source: 'oauth.md 3.5' },
  unsupported_grant_type: { status: 400, source: 'RFC 6749 5.2' },
  unsupported_media_type: { status: 415, source: 'security.md 21' },
  unsupported_token_type: { status: 400, source: 'RFC 7009 2.2.1' },
} as const

export type OAuthErrorCode = keyof typeof ERRORS

export interface OAuthErrorOptions {
  /** Sent; never holds a secret, a token or an address. */
  readonly description?: string
  /** Logged only. */
  readonly detail?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Instead of the table's. */
  readonly status?: number
  readonly cause?: unknown
}

/** An error of this package; `code` names a row of {@link ERRORS}. */
export class OAuthError extends Error {
  override readonly name: string = 'OAuthError'
  readonly code: OAuthErrorCode
  readonly status: number
  readonly expose: boolean
  readonly description?: string
  readonly detail?: string
  readonly headers?: Readonly<Record<string, string>>

  constructor(code: OAuthErrorCode, options: OAuthErrorOptions = {}) {
    const row: { status: number; description?: string } = ERRORS[code]
    const description = options.description ?? row.description
    super(description ?? code, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.status = options.status ?? row.status
    this.expose = this.status < 500 || code === 'blocked'
    if (description !== undefined) this.description = description
    if (options.detail !== undefined) this.detail = options.detail
    if (options.headers !== undefined) this.headers = options.headers
  }
}
