type Fields = Readonly<Record<string, unknown>>

/** Members that never reach a log line, at the top or one level down. */
const SECRETS: ReadonlySet<string> = new Set([
  'access_token',
  'authorization',
  'client_secret',
  'cookie',
  'email',
  'link',
  'passcode',
  'passphrase',
  'password',
  'refresh_token',
  'registration_access_token',
  'secret',
  'token',
])
/** `code` names an error in most places; of a request it is a secret. */
const OF_A_REQUEST: ReadonlySet<string> = new Set(['body', 'params', 'query'])
const CENSORED = '[redacted]'

/**
 * The fields of a log line, secrets as `[redacted]`. The tables of events say which fields there are, and no secret is
 * among them; this holds where a line breaks that rule. Most lines have texts and numbers only and are answered as they are.
 */
export function withoutSecrets(fields: Fields = {}): Fields {
  let shown: Record<string, unknown> | undefined
  for (const name of Object.keys(fields)) {
    const value = SECRETS.has(name) ? CENSORED : innerWithoutSecrets(name, fields[name])
    if (value === fields[name]) continue
    shown ??= { ...fields }
    shown[name] = value
  }
  return shown ?? fields
}

function innerWithoutSecrets(parent: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  const isSecret = (name: string): boolean =>
    SECRETS.has(name) || (name === 'code' && OF_A_REQUEST.has(parent))
  const names = Object.keys(value)
  if (!names.some(isSecret)) return value
  const members: Record<string, unknown> = {}
  for (const [name, member] of Object.entries(value)) {
    members[name] = isSecret(name) ? CENSORED : member
  }
  return members
}
