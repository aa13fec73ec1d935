import type { FormProblem } from '../pages/page-models.ts'
import { formProblem } from '../pages/form-problem.ts'

const PROBLEMS = ['busy', 'invalid_parameter', 'invalid_hint', 'kdf_iterations'] as const

/** What the form of a new passphrase says about an error, or undefined when it is not about the fields. */
export function passphraseProblem(error: unknown): FormProblem | undefined {
  return formProblem(error, PROBLEMS)
}
