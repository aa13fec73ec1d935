import { inspect } from 'node:util'
import type { AccountTypeEntry, AccountTypes, MaskedAccountType, Secret } from './account-type.ts'

/**
 * Names of fields that hold secrets: `client_secret`, `secret`, `push_credentials`, `apns_credentials`, and what they
 * become when they are misspelt, since unknown fields are kept.
 */
const SECRET = /secret|credential|password|private[-_]?key|api[-_]?key/i

/** Their members may be keys to the provider, as headers are to some. */
const PARAMETERS: ReadonlySet<string> = new Set(['refresh_params', 'token_headers', 'token_params'])

/** Whether lists and answers show that the field is there, and no more. @see connectors.md 3.2 (3), 3.3 */
export function isSecretField(name: string): boolean {
  return SECRET.test(name)
}

/** Whether a field is sealed in the store. @see connectors.md 3.4 */
export function isSealedField(name: string): boolean {
  return isSecretField(name) || PARAMETERS.has(name)
}

/** The entry as lists, answers and logs may show it. */
export function maskEntry(entry: AccountTypeEntry): MaskedAccountType {
  const fields = Object.entries(entry).map(([name, value]) => {
    if (isSecretField(name)) return [name, true] as const
    return [name, PARAMETERS.has(name) ? maskMembers(value) : value] as const
  })
  return { ...Object.fromEntries(fields), _id: entry._id }
}

/** The same parameters; printed, those that are secrets are masked. Copies of it are not. */
export function guardParameters(
  parameters: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return guard({ ...parameters }, () => maskMembers(parameters))
}

/** The same entry; printed as a whole, its secrets are masked. @see connectors.md 3.3 (3) */
export function guardEntry(entry: AccountTypeEntry): AccountTypeEntry {
  return guard({ ...entry }, () => maskEntry(entry))
}

function guard<Value extends object>(value: Value, shown: () => unknown): Value {
  const hidden = { value: shown, enumerable: false }
  return Object.freeze(Object.defineProperties(value, { toJSON: hidden, [inspect.custom]: hidden }))
}

function maskMembers(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return true
  const members = Object.entries(value)
  return Object.fromEntries(members.map(([name, text]) => [name, SECRET.test(name) ? true : text]))
}

const REDACTED = '[redacted]'

/**
 * Keeps a value from being printed by mistake: the value is out of reach of loggers, `inspect` and `JSON.stringify`.
 * @see connectors.md 3.3 (3)
 * @example
 * const secret = createSecret('swordfish')
 * secret.reveal() // whatever prints it has [redacted]
 */
export function createSecret<Value>(value: Value): Secret<Value> {
  const secret: Secret<Value> = {
    reveal: () => value,
    toJSON: () => REDACTED,
    toString: () => REDACTED,
  }
  return Object.freeze(
    Object.defineProperty(secret, inspect.custom, { value: () => REDACTED, enumerable: false }),
  )
}

/**
 * The secret that is not OAuth, for the parameters of a connector: of the one entry of its slug, when there is exactly
 * one and its mode is `secret` or ends with `+secret`.
 * @see connectors.md 3.5
 * @example
 * const found = await secretsForConnector(connectors.accountTypes, 'vault', instance.context)
 */
export async function secretsForConnector(
  types: Pick<AccountTypes, 'findBySlug'>,
  slug: string,
  context: string | undefined,
): Promise<{ readonly secret: unknown } | undefined> {
  const [type, ...others] = await types.findBySlug(slug, context)
  if (type === undefined || others.length > 0) return undefined
  const isSecretMode = type.grantMode === 'secret' || type.grantMode?.endsWith('+secret') === true
  if (!isSecretMode || type.secret === undefined) return undefined
  return { secret: type.secret.reveal() }
}
