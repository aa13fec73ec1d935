/**
 * How an attempt ended that did not succeed: `transient` may work later, `permanent` never will for this mail,
 * `config` not before the operator changed something.
 * @see notifications.md 10
 */
export type MailFailure = 'transient' | 'permanent' | 'config'

/**
 * Details of a `MailError` for the operator's log.
 * @see docs/recipes/own-mail.md of the repository
 */
export interface MailErrorOptions {
  readonly cause?: unknown
  /** Logged only; holds no address and no content. */
  readonly detail?: string
}

/** A mail that was not accepted. Sent as 503: the sender of a code or link cannot go on. */
export class MailError extends Error {
  override readonly name: string = 'MailError'
  readonly code: string = 'mail_failed'
  readonly status: number = 503
  readonly expose: boolean = true
  readonly description: string = 'the mail could not be sent'
  readonly headers: Readonly<Record<string, string>> = { 'Retry-After': '60' }
  readonly failure: MailFailure
  /** Stable reason, such as `no_email`, `bad_email`, `smtp_550`. */
  readonly reason: string
  readonly detail?: string

  constructor(failure: MailFailure, reason: string, options: MailErrorOptions = {}) {
    super(`mail not sent: ${reason}`, options.cause === undefined ? {} : { cause: options.cause })
    this.failure = failure
    this.reason = reason
    if (options.detail !== undefined) this.detail = options.detail
  }
}

/** Whether a thrown value tells how a mail failed, by shape. */
export function isMailError(value: unknown): value is MailError {
  if (!(value instanceof Error)) return false
  const { code, failure } = value as Partial<MailError>
  return code === 'mail_failed' && typeof failure === 'string'
}
