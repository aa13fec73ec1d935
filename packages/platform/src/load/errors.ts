/** Errors that any endpoint may answer. */
export const ERRORS = {
  overloaded: {
    status: 503,
    description: 'the server has too much to do',
    text: 'The process handles as much as it may. Try again after `Retry-After`.',
    source: 'operation.md 1',
  },
} as const

/** The process handles as much as it may; a second later there may be room. Recognised as an HTTP error by its shape. */
export class OverloadedError extends Error {
  override readonly name: string = 'OverloadedError'
  readonly code = 'overloaded'
  readonly status: number = ERRORS.overloaded.status
  /** The code is all that is said, as with every fault of a server. */
  readonly expose: boolean = false
  readonly headers: Readonly<Record<string, string>>

  /** @param headers - beside `Retry-After` */
  constructor(headers: Readonly<Record<string, string>> = {}) {
    super(ERRORS.overloaded.description)
    this.headers = { 'Retry-After': '1', ...headers }
  }
}
