import type { ErrorWords } from '../define-errors.ts'

/** One member of the `errors` of a JSON:API answer, beside its status. @see JSON:API 1.1, error objects */
export interface ErrorObject {
  readonly code: string
  readonly title: string
  readonly detail?: string
  readonly source?: { readonly pointer: string } | { readonly parameter: string }
}

/** Anything that can be answered: recognised by shape, so that packages need not share classes. */
export interface HttpError extends Error {
  /** Stable, for programs. */
  readonly code: string
  readonly status: number
  /** Whether `description` may be sent. */
  readonly expose: boolean
  /** Sent. Absent: the code alone is sent. */
  readonly description?: string
  /** Logged only. */
  readonly detail?: string
  readonly headers?: Readonly<Record<string, string>>
  /** What pages say instead of `description`, which is English. */
  readonly words?: ErrorWords
  /** More members of a JSON answer, such as `two_factor_token`. */
  readonly extra?: Readonly<Record<string, string>>
  /** Everything that is wrong, for JSON:API answers. @defaultValue one, made of `code` and `description` */
  readonly errors?: readonly ErrorObject[]
}

/** Whether a thrown value can be answered as it is. */
export function isHttpError(value: unknown): value is HttpError {
  if (!(value instanceof Error)) return false
  const { status, code } = value as Partial<HttpError>
  return typeof status === 'number' && typeof code === 'string' && status >= 400 && status < 600
}
