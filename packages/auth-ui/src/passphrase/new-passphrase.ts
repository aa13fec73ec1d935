import { AuthUiError } from '../errors.ts'
import type { VaultKeys } from '../owner/owner.ts'
import { DEFAULT_ITERATIONS, MAX_ITERATIONS, MIN_ITERATIONS } from './derive.ts'
import type { PasswordHasher } from './password-hash.ts'
import type { FormProblem } from '../pages/page-models.ts'
import { formProblem } from '../pages/form-problem.ts'

/** What a form or JSON body says about a new passphrase; everything still unchecked text. */
export interface PassphraseFields {
  readonly passphrase: string
  readonly hint: string
  /** Empty or `0`: the passphrase is raw. */
  readonly iterations: string
  readonly key: string
  readonly publicKey: string
  readonly privateKey: string
}

/** A new passphrase, ready to be hashed. */
export interface NewPassphrase {
  readonly loginValue: string
  readonly iterations: number
  readonly hint?: string
  readonly keys?: VaultKeys
}

const MAX_PASSPHRASE_BYTES = 1024
const MAX_HINT_BYTES = 512
const MAX_KEY_BYTES = 8192
/** 32 bytes in base64, which is what browsers derive. @see login.md 3.1 */
const LOGIN_VALUE = /^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/
const PROBLEMS = ['busy', 'invalid_parameter', 'invalid_hint', 'kdf_iterations'] as const

/**
 * Checks the fields and derives the login value where the browser did not. @see login.md 3.1, 5.5
 * @throws AuthUiError `invalid_parameter`, `invalid_hint`, `kdf_iterations`, `busy`
 */
export async function readNewPassphrase(
  fields: PassphraseFields,
  salt: string,
  { hasher, allowRaw }: { readonly hasher: PasswordHasher; readonly allowRaw: boolean },
): Promise<NewPassphrase> {
  const { passphrase, hint } = fields
  checkLength('passphrase', passphrase, MAX_PASSPHRASE_BYTES)
  if (passphrase === '') throw invalid('the passphrase is empty')
  checkHintLength(hint)
  const keys = readKeys(fields)
  const iterations = readIterations(fields.iterations)
  // New passphrases are NFC: so is a hint that gives one away.
  const given = hint.normalize('NFC')
  const rest = { ...(hint === '' ? {} : { hint }), ...(keys === undefined ? {} : { keys }) }
  if (iterations === undefined) {
    if (!allowRaw) throw invalid('the passphrase must be derived by the client')
    const raw = passphrase.normalize('NFC')
    if (given === raw) throw sameHint()
    const loginValue = await hasher.derive(raw, salt, DEFAULT_ITERATIONS)
    return { loginValue, iterations: DEFAULT_ITERATIONS, ...rest }
  }
  // Words stored as if they were derived would lock their owner out.
  if (!LOGIN_VALUE.test(passphrase)) throw invalid('the passphrase is not base64 of 32 bytes')
  if (hint === passphrase) throw sameHint()
  if (hint !== '' && (await hasher.derive(given, salt, iterations)) === passphrase) throw sameHint()
  return { loginValue: passphrase, iterations, ...rest }
}

/** The number, or undefined for a raw passphrase. */
function readIterations(text: string): number | undefined {
  if (text === '' || text === '0') return undefined
  const iterations = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
  if (iterations >= MIN_ITERATIONS && iterations <= MAX_ITERATIONS) return iterations
  throw new AuthUiError('kdf_iterations', {
    description: `iterations must be an integer from ${MIN_ITERATIONS} to ${MAX_ITERATIONS}`,
  })
}

function readKeys({ key, publicKey, privateKey }: PassphraseFields): VaultKeys | undefined {
  checkLength('key', key, MAX_KEY_BYTES)
  checkLength('public_key', publicKey, MAX_KEY_BYTES)
  checkLength('private_key', privateKey, MAX_KEY_BYTES)
  // SPEC: login.md 3.3 - the pair is replaced only when both are given.
  const hasPair = publicKey !== '' && privateKey !== ''
  if (key === '' && !hasPair) return undefined
  return { ...(key === '' ? {} : { key }), ...(hasPair ? { publicKey, privateKey } : {}) }
}

/** @throws AuthUiError `invalid_hint` over 512 bytes */
export function checkHintLength(hint: string): void {
  checkLength('hint', hint, MAX_HINT_BYTES)
}

function checkLength(name: string, value: string, maxBytes: number): void {
  if (Buffer.byteLength(value) <= maxBytes) return
  throw invalid(`${name} is too long`, name === 'hint' ? 'invalid_hint' : 'invalid_parameter')
}

function sameHint(): AuthUiError {
  return invalid('the hint is the passphrase', 'invalid_hint')
}

/** A code of its own for the hint: the page shows the message beside its field. */
function invalid(
  description: string,
  code: 'invalid_parameter' | 'invalid_hint' = 'invalid_parameter',
): AuthUiError {
  return new AuthUiError(code, { description })
}

/** What the form of a new passphrase says about an error, or undefined when it is not about the fields. */
export function passphraseProblem(error: unknown): FormProblem | undefined {
  return formProblem(error, PROBLEMS)
}
