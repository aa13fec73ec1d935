/**
 * `refused`: the target is not one to call; `unreachable`: no connection, or it broke; `timeout`; `too_large` and
 * `malformed`: an answer that cannot be taken.
 */
export type OutboundFailure = 'refused' | 'unreachable' | 'timeout' | 'too_large' | 'malformed'

/**
 * A call that brought no answer. Its message names neither host nor address.
 * @example
 * if (error instanceof OutboundError && !error.isSent) return error.reason
 */
export class OutboundError extends Error {
  override readonly name: string = 'OutboundError'
  readonly kind: OutboundFailure
  /** For logs: the rule that was broken or the code of the connection's error, such as `address`, `ECONNREFUSED`. */
  readonly reason: string
  /** Whether the other side may have got a part of the request. */
  readonly isSent: boolean
  /** Of the answer, when it began well and its body could not be taken: what was asked for may have happened. */
  readonly status?: number

  constructor(
    kind: OutboundFailure,
    reason: string,
    options: { readonly isSent?: boolean; readonly status?: number; readonly cause?: unknown } = {},
  ) {
    super(`${kind}: ${reason}`, options.cause === undefined ? {} : { cause: options.cause })
    this.kind = kind
    this.reason = reason
    this.isSent = options.isSent ?? false
    if (options.status !== undefined) this.status = options.status
  }
}

/**
 * Whether `error` is a failed call, also one of another copy of this package.
 * @example
 * if (isOutboundError(error)) return error.reason
 */
export function isOutboundError(error: unknown): error is OutboundError {
  return error instanceof Error && error.name === 'OutboundError' && 'isSent' in error
}
