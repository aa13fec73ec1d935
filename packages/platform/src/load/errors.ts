import { type CodedError, defineErrors, type ErrorClass, type ErrorRow } from '../define-errors.ts'

/** Errors that any endpoint may answer. */
export const ERRORS: Readonly<Record<'overloaded', ErrorRow>> = {
  overloaded: {
    status: 503,
    description: 'the server has too much to do',
    isHidden: true,
    text: 'The process handles as much as it may. Try again after `Retry-After`.',
    source: 'operation.md 1',
  },
}

/** The process handles as much as it may; a second later there may be room. */
export const OverloadedError: ErrorClass<'overloaded'> = defineErrors('OverloadedError', ERRORS)
export type OverloadedError = CodedError<'overloaded'>

/** @param headers - beside `Retry-After` */
export function overloaded(headers: Readonly<Record<string, string>> = {}): OverloadedError {
  return new OverloadedError('overloaded', { headers, retryAfterS: 1 })
}
