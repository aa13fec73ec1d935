/** Every error of this package that is answered over HTTP, beside those of `@svc/oauth-core`. */
export const ERRORS = {
  shutting_down: {
    status: 503,
    description: 'the server is shutting down',
    source: 'security.md 118',
  },
  unsupported_version: {
    status: 400,
    description: 'malformed websocket handshake',
    source: 'RFC 6455 4.2.2',
  },
  upgrade_required: {
    status: 426,
    description: 'a websocket is served here',
    source: 'RFC 9110 15.5.22',
  },
} as const

export type RealtimeErrorCode = keyof typeof ERRORS

/** An error of this package; `code` names a row of {@link ERRORS}. */
export class RealtimeError extends Error {
  override readonly name: string = 'RealtimeError'
  readonly code: RealtimeErrorCode
  readonly status: number
  readonly expose: boolean = true
  readonly description: string
  readonly headers: Readonly<Record<string, string>>

  constructor(code: RealtimeErrorCode, headers: Readonly<Record<string, string>> = {}) {
    const { status, description } = ERRORS[code]
    super(description)
    this.code = code
    this.status = status
    this.description = description
    this.headers = headers
  }
}
