import { AuthUiError } from '../errors.ts'
import { retryAfterS } from '../web/retry-after.ts'
import type { FormProblem, FormProblemCode } from './page-models.ts'
import { isolated, type Messages } from '../messages.ts'

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

/** Problems that a form sent by script can meet: their words travel with the form. */
const SCRIPT_PROBLEMS: readonly (readonly [code: string, key: string])[] = [
  ['busy', 'busy'],
  ['cross_origin', 'csrf'],
  ['csrf_invalid', 'csrf'],
  ['csrf_missing', 'csrf'],
  ['invalid_hint', 'invalid_hint'],
  ['invalid_parameter', 'invalid_parameter'],
  ['invalid_passphrase', 'invalid_passphrase'],
  ['kdf_iterations', 'kdf_iterations'],
  ['mail_failed', 'mail_failed'],
  ['passkey_expired', 'passkey_expired'],
  ['passkey_invalid', 'passkey_invalid'],
  ['passkey_unknown', 'passkey_unknown'],
  ['rate_limited', 'rate_limited'],
  ['two_factor_invalid', 'two_factor_invalid'],
]

/** Words for what was wrong with a form; empty when nothing was. */
export function problemText(messages: Messages, problem: FormProblem | undefined): string {
  if (problem === undefined) return ''
  const minutes = Math.max(1, Math.ceil((problem.retryAfterS ?? 0) / 60))
  return messages.text(`problem.${problem.code}`, { minutes: String(minutes) })
}

/** The same for a form that takes a passphrase or a passkey: beside the one that was refused. */
export function problemsBeside(
  messages: Messages,
  problem: FormProblem | undefined,
): { readonly problem: string; readonly problemOfPasskey: string } {
  const text = problemText(messages, problem)
  const isOfPasskey = problem?.code.startsWith('passkey_') === true
  return { problem: isOfPasskey ? '' : text, problemOfPasskey: isOfPasskey ? text : '' }
}

const textsOf = new WeakMap<Messages, Map<readonly string[], ProblemTexts>>()

/** Words for what can be wrong with a form, by code of the answer. */
export type ProblemTexts = Readonly<Record<string, string>>

/**
 * The same words for the script, by code of the answer; the script puts the minutes in itself. Made once for a language.
 * @param codes - a constant
 */
export function problemTexts(messages: Messages, codes: readonly string[]): ProblemTexts {
  let known = textsOf.get(messages)
  if (known === undefined) textsOf.set(messages, (known = new Map()))
  let texts = known.get(codes)
  if (texts === undefined) {
    texts = Object.fromEntries(
      SCRIPT_PROBLEMS.filter(([code]) => codes.includes(code)).map(([code, key]) => [
        code,
        messages.text(`problem.${key}`, { minutes: isolated('{minutes}') }),
      ]),
    )
    known.set(codes, texts)
  }
  return texts
}
