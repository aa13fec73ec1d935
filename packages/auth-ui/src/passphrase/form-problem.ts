import { AuthUiError, retryAfterS } from '../errors.ts'
import type { FormProblem } from '../page-renderer.ts'

/** What the form of a new passphrase says about an error, or undefined when it is not about the fields. */
export function passphraseProblem(error: unknown): FormProblem | undefined {
  if (!(error instanceof AuthUiError)) return undefined
  const { code } = error
  if (code === 'invalid_parameter' || code === 'invalid_hint' || code === 'kdf_iterations') {
    return { code }
  }
  if (code !== 'busy') return undefined
  const wait = retryAfterS(error)
  return wait === undefined ? { code } : { code, retryAfterS: wait }
}
