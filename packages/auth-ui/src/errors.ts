/** A row of {@link ERRORS}. */
export interface ErrorRow {
  readonly status: number
  readonly description?: string
  /** Section of the specification. */
  readonly source: string
}

/** Stable, sent as `code`. */
export type AuthUiErrorCode =
  | 'already_onboarded'
  | 'bad_redirect'
  | 'busy'
  | 'cookies_blocked'
  | 'cross_origin'
  | 'csrf_invalid'
  | 'csrf_missing'
  | 'forbidden'
  | 'invalid_hint'
  | 'invalid_parameter'
  | 'invalid_passphrase'
  | 'invalid_token'
  | 'kdf_iterations'
  | 'logout_forbidden'
  | 'no_session'
  | 'not_found'
  | 'onboarding_needed'
  | 'rate_limited'

/** Every error this package answers with. `description` is what is sent unless the thrower gives another. */
export const ERRORS: Readonly<Record<AuthUiErrorCode, ErrorRow>> = {
  already_onboarded: {
    status: 400,
    description: 'the instance has an owner already',
    source: 'login.md 5.5',
  },
  bad_redirect: { status: 400, description: 'bad url', source: 'login.md 4.6' },
  busy: {
    status: 503,
    description: 'too many passphrases are being checked',
    source: 'login.md 3.2',
  },
  cookies_blocked: {
    status: 400,
    description: 'cookies seem to be blocked',
    source: 'login.md 9.2',
  },
  cross_origin: { status: 403, description: 'cross-origin request', source: 'login.md 4.4' },
  csrf_invalid: { status: 403, description: 'invalid csrf token', source: 'login.md 4.4' },
  csrf_missing: {
    status: 400,
    description: 'missing csrf token in the form parameter',
    source: 'login.md 4.4',
  },
  forbidden: { status: 403, source: 'login.md 7' },
  invalid_hint: { status: 400, source: 'login.md 5.5' },
  invalid_parameter: { status: 400, source: 'login.md 5.5' },
  invalid_passphrase: { status: 401, description: 'invalid passphrase', source: 'login.md 5.1' },
  invalid_token: { status: 400, source: 'login.md 5.5' },
  kdf_iterations: { status: 422, source: 'login.md 3.1' },
  logout_forbidden: {
    status: 401,
    description: 'The user can logout only from client-side apps',
    source: 'login.md 5.2',
  },
  no_session: { status: 401, description: 'Could not retrieve session', source: 'login.md 5.2' },
  not_found: { status: 404, description: 'not found', source: 'login.md 7' },
  onboarding_needed: {
    status: 412,
    description: 'the instance has not been onboarded',
    source: 'login.md 4.8',
  },
  rate_limited: { status: 429, description: 'too many attempts', source: 'login.md 4.7' },
}

/** What an error may say beyond its row. */
export interface AuthUiErrorOptions {
  /** Sent; never holds a secret, a token or an address. */
  readonly description?: string
  /** Logged only. */
  readonly detail?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly cause?: unknown
}

/** An error of this package; `code` names a row of {@link ERRORS}. */
export class AuthUiError extends Error {
  override readonly name: string = 'AuthUiError'
  readonly code: AuthUiErrorCode
  readonly status: number
  readonly expose: boolean
  readonly description?: string
  readonly detail?: string
  readonly headers?: Readonly<Record<string, string>>

  constructor(code: AuthUiErrorCode, options: AuthUiErrorOptions = {}) {
    const row = ERRORS[code]
    const description = options.description ?? row.description
    super(description ?? code, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.status = row.status
    // Nothing in this table tells of the inside, not even `busy`.
    this.expose = true
    if (description !== undefined) this.description = description
    if (options.detail !== undefined) this.detail = options.detail
    if (options.headers !== undefined) this.headers = options.headers
  }
}

/** Seconds of a `Retry-After` header, when the error carries one. */
export function retryAfterS(error: {
  readonly headers?: Readonly<Record<string, string>>
}): number | undefined {
  const value = error.headers?.['Retry-After']
  return value === undefined ? undefined : Number(value)
}
