/** What the ground floor itself answers to a request. `description` is sent unless the thrower gives another. */
export const REQUEST_ERRORS = {
  bad_content_type: { status: 400, source: 'oauth.md 3.1' },
  blocked: { status: 503, description: 'the instance is blocked', source: 'login.md 4.8' },
  conflict: { status: 409, source: 'RFC 9110 15.5.10' },
  cross_origin: { status: 403, description: 'cross-origin request', source: 'login.md 4.4' },
  forbidden: { status: 403, source: 'RFC 9110 15.5.4' },
  internal_error: { status: 500, source: 'security.md 115' },
  invalid_request: { status: 400, source: 'RFC 6749 5.2' },
  method_not_allowed: { status: 405, source: 'RFC 9110 15.5.6' },
  not_found: { status: 404, description: 'not found', source: 'RFC 9110 15.5.5' },
  payload_too_large: { status: 413, source: 'security.md 14' },
  too_many_requests: { status: 429, source: 'RFC 6585 4' },
  unsupported_media_type: { status: 415, source: 'security.md 21' },
} as const

export type RequestErrorCode = keyof typeof REQUEST_ERRORS

export interface RequestErrorOptions {
  /** Sent; never holds a secret, a token or an address. */
  readonly description?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Instead of the table's. */
  readonly status?: number
  readonly cause?: unknown
}

/** A request that no row is asked about; `code` names a row of {@link REQUEST_ERRORS}. */
export class RequestError extends Error {
  override readonly name: string = 'RequestError'
  readonly code: RequestErrorCode
  readonly status: number
  readonly expose: boolean
  readonly description?: string
  readonly headers?: Readonly<Record<string, string>>

  constructor(code: RequestErrorCode, options: RequestErrorOptions = {}) {
    const row: { status: number; description?: string } = REQUEST_ERRORS[code]
    const description = options.description ?? row.description
    super(description ?? code, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.status = options.status ?? row.status
    this.expose = this.status < 500 || code === 'blocked'
    if (description !== undefined) this.description = description
    if (options.headers !== undefined) this.headers = options.headers
  }
}
