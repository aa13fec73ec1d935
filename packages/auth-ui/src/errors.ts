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
  | 'confirmation_required'
  | 'conflict'
  | 'cookies_blocked'
  | 'cross_origin'
  | 'csrf_invalid'
  | 'csrf_missing'
  | 'factor_needed'
  | 'forbidden'
  | 'invalid_client'
  | 'invalid_code'
  | 'invalid_hint'
  | 'invalid_magic_code'
  | 'invalid_parameter'
  | 'invalid_passphrase'
  | 'invalid_share_password'
  | 'invalid_token'
  | 'kdf_iterations'
  | 'logout_forbidden'
  | 'magic_link_disabled'
  | 'mail_failed'
  | 'no_session'
  | 'not_authorized'
  | 'not_found'
  | 'onboarding_needed'
  | 'passphrase_required'
  | 'rate_limited'
  | 'two_factor_expired'
  | 'two_factor_invalid'
  | 'two_factor_needed'
  | 'two_factor_off'

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
  confirmation_required: {
    status: 403,
    description: 'a fresh confirmation is needed',
    source: 'security.md 37',
  },
  conflict: { status: 409, description: 'it was changed meanwhile', source: 'login.md 1' },
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
  factor_needed: { status: 409, source: 'decision D63' },
  forbidden: { status: 403, source: 'login.md 7' },
  invalid_client: {
    status: 400,
    description: 'the client must be registered',
    source: 'login.md 5.1',
  },
  invalid_code: { status: 401, description: 'invalid code', source: 'login.md 6.3' },
  invalid_hint: { status: 400, source: 'login.md 5.5' },
  invalid_magic_code: { status: 401, description: 'invalid magic code', source: 'login.md 5.3' },
  invalid_parameter: { status: 400, source: 'login.md 5.5' },
  invalid_passphrase: { status: 401, description: 'invalid passphrase', source: 'login.md 5.1' },
  invalid_share_password: { status: 403, description: 'Invalid password', source: 'oauth.md 9' },
  invalid_token: { status: 400, source: 'login.md 5.5' },
  kdf_iterations: { status: 422, source: 'login.md 3.1' },
  logout_forbidden: {
    status: 401,
    description: 'The user can logout only from client-side apps',
    source: 'login.md 5.2',
  },
  magic_link_disabled: {
    status: 404,
    description: 'magic links are not enabled',
    source: 'login.md 5.3',
  },
  mail_failed: { status: 503, description: 'the mail could not be sent', source: 'login.md 5.1' },
  no_session: { status: 401, description: 'Could not retrieve session', source: 'login.md 5.2' },
  not_authorized: { status: 401, description: 'Not authorized', source: 'login.md 5.4' },
  not_found: { status: 404, description: 'not found', source: 'login.md 7' },
  onboarding_needed: {
    status: 412,
    description: 'the instance has not been onboarded',
    source: 'login.md 4.8',
  },
  passphrase_required: {
    status: 401,
    description: 'passphrase is required as second authentication factor',
    source: 'login.md 5.3',
  },
  rate_limited: { status: 429, description: 'too many attempts', source: 'login.md 4.7' },
  two_factor_expired: {
    status: 401,
    description: 'this code is no longer valid, start again',
    source: 'login.md 5.1',
  },
  two_factor_invalid: { status: 401, description: 'wrong code', source: 'login.md 5.1' },
  two_factor_needed: { status: 403, description: 'two factor needed', source: 'login.md 5.4' },
  two_factor_off: {
    status: 401,
    description: 'the second factor is off',
    source: 'login.md 5.1',
  },
}

/** What an error may say beyond its row. */
export interface AuthUiErrorOptions {
  /** Instead of the row's, where the specification gives one code several. */
  readonly status?: number
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
    this.status = options.status ?? row.status
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
