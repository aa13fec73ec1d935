import { type CodedError, defineErrors, type ErrorClass, type ErrorRow } from '../define-errors.ts'

/**
 * Errors that any endpoint may answer.
 * @example
 * const { status, text } = ERRORS.overloaded
 */
export const ERRORS: Readonly<Record<'overloaded' | 'storage_full', ErrorRow>> = {
  overloaded: {
    status: 503,
    description: 'the server has too much to do',
    isHidden: true,
    text: 'The process handles as much as it may. Try again after `Retry-After`.',
    source: 'operation.md 1',
  },
  storage_full: {
    status: 503,
    description: 'the server has little room left',
    text: 'The file system of the server is nearly full: nothing new is stored for now. Reading, changing, revoking and deleting work. Try again after `Retry-After`.',
    source: 'operation.md 8.4',
  },
}

/**
 * The process handles as much as it may, or the server has no room; later there may be.
 * @example
 * if (error instanceof OverloadedError) return error.code
 */
export const OverloadedError: ErrorClass<'overloaded' | 'storage_full'> = defineErrors(
  'OverloadedError',
  ERRORS,
)
export type OverloadedError = CodedError<'overloaded' | 'storage_full'>

/** @param headers - beside `Retry-After` */
export function overloaded(headers: Readonly<Record<string, string>> = {}): OverloadedError {
  return new OverloadedError('overloaded', { headers, retryAfterS: 1 })
}

/** Whoever frees room needs a while. @see operation.md 8.4 */
export function storageFull(): OverloadedError {
  return new OverloadedError('storage_full', { retryAfterS: 60 })
}
