/** A refusal of the admin API. */
export class AdminError extends Error {
  override readonly name: string = 'AdminError'
  readonly code: string
  readonly status: number

  constructor(code: string, status: number, message: string = code.replaceAll('_', ' ')) {
    super(message)
    this.code = code
    this.status = status
  }
}
