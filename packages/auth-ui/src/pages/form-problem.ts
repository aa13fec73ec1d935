import { AuthUiError, retryAfterS } from '../errors.ts'
import type { FormProblem, FormProblemCode } from './page-models.ts'

/**
 * What a form says beside its fields about an error; undefined when that is none of these, so that it is the whole
 * page's.
 */
export function formProblem(
  error: unknown,
  codes: readonly FormProblemCode[],
): FormProblem | undefined {
  if (!AuthUiError.is(error)) return undefined
  const code = codes.find((known) => known === error.code)
  if (code === undefined) return undefined
  const wait = retryAfterS(error)
  return wait === undefined ? { code } : { code, retryAfterS: wait }
}
