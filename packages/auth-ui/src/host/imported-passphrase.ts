import type { Instance } from '@svc/platform'
import { ForeignHashFault, parseForeignHash } from '../owner/foreign-hash.ts'
import type { Owner } from '../owner/owner.ts'
import { parseText } from '../owner/stored-hash.ts'
import { DEFAULT_ITERATIONS, MAX_ITERATIONS, MIN_ITERATIONS, saltOf } from '../passphrase/derive.ts'
import { missingFor } from '../passphrase/foreign-verifier.ts'
import type { AuthUiServices } from '../services.ts'

const MAX_SALT_CHARS = 255
const MAX_HINT_CHARS = 512

/** Owners that come from elsewhere keep their passphrase. */
export interface ImportedPassphrase {
  /**
   * What was hashed there. `login-value`: what a browser derives (login.md 3.1), as this server's own clients send it.
   * `passphrase`: the passphrase itself. Then the first login sends it along once, beside the login value, and its page
   * does not say that the passphrase stays in the browser.
   */
  readonly over: 'login-value' | 'passphrase'
  /**
   * Known by its own text: `scrypt$…`, `$scrypt$ln=…`, `$pbkdf2-sha256$`, `$pbkdf2-sha512$`, `pbkdf2_sha256$` of Django,
   * bcrypt, Argon2, or what one of `passphrase.verifiers` parses. Replaced by today's form at the first login.
   */
  readonly hash: string
  /** Of the browser's derivation: needed with `login-value`, and only there. */
  readonly salt?: string
  readonly iterations?: number
  readonly hint?: string
}

/** What is wrong with an imported passphrase. Nothing of it is quoted. */
export class ImportedPassphraseFault extends TypeError {
  /** Which member it is. */
  readonly member: string
  /** Goes on after its name. */
  readonly problem: string

  constructor(member: string, problem: string) {
    super(`imported.${member} ${problem}`)
    this.member = member
    this.problem = problem
  }
}

/**
 * What an imported passphrase makes of an owner. All that a later login costs is bounded here.
 * @throws ImportedPassphraseFault
 */
export function readImported(
  services: Pick<AuthUiServices, 'options'>,
  { domain }: Pick<Instance, 'domain'>,
  { over, hash, salt, iterations, hint }: ImportedPassphrase,
): Pick<Owner, 'hint' | 'iterations' | 'passphraseHash' | 'salt'> {
  checkHash(services, hash)
  if (hint !== undefined && (typeof hint !== 'string' || hint.length > MAX_HINT_CHARS)) {
    throw new ImportedPassphraseFault('hint', 'is too long')
  }
  const more = hint === undefined ? {} : { hint }
  if (over === 'passphrase') {
    if (salt !== undefined || iterations !== undefined) {
      throw new ImportedPassphraseFault('salt', 'and iterations belong to login-value')
    }
    return {
      passphraseHash: { algorithm: 'foreign-passphrase', value: hash },
      salt: saltOf(domain),
      iterations: DEFAULT_ITERATIONS,
      ...more,
    }
  }
  if (over !== 'login-value') {
    throw new ImportedPassphraseFault('over', "must be 'login-value' or 'passphrase'")
  }
  if (typeof salt !== 'string' || salt === '' || salt.length > MAX_SALT_CHARS) {
    throw new ImportedPassphraseFault('salt', 'is malformed')
  }
  const isAllowed =
    Number.isInteger(iterations) &&
    Number(iterations) >= MIN_ITERATIONS &&
    Number(iterations) <= MAX_ITERATIONS
  if (iterations === undefined || !isAllowed) {
    throw new ImportedPassphraseFault('iterations', 'is out of range')
  }
  // Processes of the version before know this form by its own name.
  const algorithm = parseText(hash) === undefined ? 'foreign' : 'scrypt'
  return { passphraseHash: { algorithm, value: hash }, salt, iterations, ...more }
}

function checkHash({ options }: Pick<AuthUiServices, 'options'>, hash: string): void {
  if (typeof hash !== 'string') throw new ImportedPassphraseFault('hash', 'must be a text')
  if (options.passphrase.verifiers.some((verifier) => verifier.parse(hash) !== undefined)) return
  try {
    const missing = missingFor(parseForeignHash(hash))
    if (missing !== undefined) throw new ForeignHashFault(missing)
  } catch (error) {
    if (!(error instanceof ForeignHashFault)) throw error
    throw new ImportedPassphraseFault('hash', error.message)
  }
}
