import { type AccountTypeEntry, type AccountTypeFault, parseAccountTypeId } from './account-type.ts'
import { URL_FIELDS, urlFault } from './endpoint.ts'
import { entryFaults } from './entry.schema.ts'
import { applyPreset } from './presets.ts'

/** A rule over whole entries: those of `effective` are filled in from the preset. */
type Check = (entry: AccountTypeEntry, effective: AccountTypeEntry) => readonly AccountTypeFault[]

const MAX_ENTRY_BYTES = 65_536
/** Set by each request. @see connectors.md 6.2 */
const PROTECTED_PARAMETERS: ReadonlySet<string> = new Set([
  'client_id',
  'client_secret',
  'code',
  'code_verifier',
  'grant_type',
  'nonce',
  'redirect_uri',
  'refresh_token',
  'state',
])
/** Set by the authorization request. @see connectors.md 5.1 */
const PROTECTED_QUERY: ReadonlySet<string> = new Set([
  'client_id',
  'code_challenge',
  'code_challenge_method',
  'nonce',
  'redirect_uri',
  'response_type',
  'state',
])
/** @see connectors.md 2.1 */
const REFUSED_HEADERS: ReadonlySet<string> = new Set([
  'authorization',
  'connection',
  'content-length',
  'cookie',
  'host',
  'transfer-encoding',
])

const CHECKS: readonly Check[] = [
  checkNames,
  checkUrls,
  checkMode,
  checkPublicClient,
  checkScopeParameter,
  checkParameters,
  checkHeaders,
  checkRedirectPath,
]

/** What was found out about a value that is meant to be an entry. */
export interface EntryCheck {
  /** The fields that are right. Undefined when the value is no object. */
  readonly entry: AccountTypeEntry | undefined
  readonly faults: readonly AccountTypeFault[]
}

/** Checks an entry as far as nobody has to be asked. @see connectors.md 2.2 */
export function checkEntry(value: unknown): EntryCheck {
  const json = toJson(value)
  if (json === undefined || Buffer.byteLength(json) > MAX_ENTRY_BYTES) {
    const reason = json === undefined ? 'is not JSON' : `is longer than ${MAX_ENTRY_BYTES} bytes`
    return { entry: undefined, faults: [{ field: '', reason }] }
  }
  const plain: unknown = JSON.parse(json)
  if (typeof plain !== 'object' || plain === null || Array.isArray(plain)) {
    return { entry: undefined, faults: [{ field: '', reason: 'must be an object' }] }
  }
  const { fields, faults: aliasFaults } = withoutAlias({ ...plain })
  const formFaults = [...aliasFaults, ...entryFaults(fields)]
  const wrong = new Set(formFaults.map(({ field }) => field.split('/')[0]))
  const right = Object.entries(fields).filter(([name]) => !wrong.has(name))
  // The schema has gone through every field that the type knows.
  const entry = Object.fromEntries(right) as unknown as AccountTypeEntry
  const effective = applyPreset(entry)
  const ruleFaults = CHECKS.flatMap((check) => check(entry, effective))
  return {
    entry: without(entry, ruleFaults),
    // What is missing because it is malformed was named already.
    faults: [...formFaults, ...ruleFaults.filter(({ field }) => !wrong.has(field))],
  }
}

function toJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}

/** `redirect_url` is another name of `redirect_uri`, on input only. @see connectors.md K1 */
function withoutAlias(fields: Readonly<Record<string, unknown>>): {
  readonly fields: Readonly<Record<string, unknown>>
  readonly faults: readonly AccountTypeFault[]
} {
  const { redirect_url: alias, ...others } = fields
  if (alias === undefined) return { fields, faults: [] }
  const { redirect_uri: own = alias } = others
  const faults = [{ field: 'redirect_url', reason: 'differs from redirect_uri' }]
  return { fields: { ...others, redirect_uri: own }, faults: own === alias ? [] : faults }
}

function without(entry: AccountTypeEntry, faults: readonly AccountTypeFault[]): AccountTypeEntry {
  const wrong = new Set(faults.map(({ field }) => field.split('/')[0]))
  const right = Object.entries(entry).filter(([name]) => name === '_id' || !wrong.has(name))
  // Optional fields only are left out.
  return Object.fromEntries(right) as unknown as AccountTypeEntry
}

/** Sealed fields are stored under such names. @see connectors.md 7.3 (1) */
function checkNames(entry: AccountTypeEntry): readonly AccountTypeFault[] {
  return Object.keys(entry)
    .filter((field) => field.endsWith('_encrypted') || field.length > 100)
    .map((field) => ({ field: field.slice(0, 100), reason: 'is not an allowed name' }))
}

function checkUrls(entry: AccountTypeEntry): readonly AccountTypeFault[] {
  return [...URL_FIELDS, 'redirect_uri' as const].flatMap((field) => {
    const url = entry[field]
    // Whether a plain address is one of the instance, or in a trusted network, is asked where it can be answered.
    const mayBePlain = field === 'redirect_uri' || entry.trusted_network === true
    const reason = url === undefined ? undefined : urlFault(url, mayBePlain)
    return reason === undefined ? [] : [{ field, reason }]
  })
}

function checkMode(
  entry: AccountTypeEntry,
  effective: AccountTypeEntry,
): readonly AccountTypeFault[] {
  const { grant_mode: mode, issuer } = effective
  const missing: string[] = []
  if (mode !== undefined && mode !== 'secret') {
    if (effective.client_id === undefined) missing.push('client_id')
    if (issuer === undefined && mode === 'refresh_token') {
      if (effective.token_endpoint === undefined) missing.push('token_endpoint')
    } else if (issuer === undefined && effective.auth_endpoint === undefined) {
      missing.push('auth_endpoint')
    }
  }
  if (mode?.endsWith('secret') === true && entry.secret === undefined) missing.push('secret')
  return missing.map((field) => ({ field, reason: 'is missing' }))
}

/** @see connectors.md 2.1 `client_secret`, 5.2 */
function checkPublicClient(
  entry: AccountTypeEntry,
  { pkce, client_id: id, client_secret: secret }: AccountTypeEntry,
): readonly AccountTypeFault[] {
  if (pkce !== 'off' || id === undefined || secret !== undefined) return []
  return entry.pkce === 'off'
    ? [{ field: 'pkce', reason: 'must not be off without client_secret' }]
    : [{ field: 'client_secret', reason: 'is missing, and the provider has no PKCE instead' }]
}

function checkScopeParameter({ scope_param: name }: AccountTypeEntry): readonly AccountTypeFault[] {
  if (name === undefined || !PROTECTED_QUERY.has(name)) return []
  return [{ field: 'scope_param', reason: 'is a parameter of its own' }]
}

function checkParameters(entry: AccountTypeEntry): readonly AccountTypeFault[] {
  return (['token_params', 'refresh_params'] as const).flatMap((field) =>
    Object.keys(entry[field] ?? {})
      .filter((name) => PROTECTED_PARAMETERS.has(name))
      .map((name) => ({ field: `${field}/${name}`, reason: 'is set by the request itself' })),
  )
}

function checkHeaders({
  token_headers: headers = {},
}: AccountTypeEntry): readonly AccountTypeFault[] {
  return Object.keys(headers)
    .filter((name) => REFUSED_HEADERS.has(name.toLowerCase()))
    .map((name) => ({ field: `token_headers/${name}`, reason: 'is set by the request itself' }))
}

/** @see connectors.md 2.2 (3) */
function checkRedirectPath({
  _id: id,
  redirect_uri: uri,
}: AccountTypeEntry): readonly AccountTypeFault[] {
  const name = parseAccountTypeId(id)?.name
  const path = uri === undefined ? undefined : URL.parse(uri)?.pathname
  if (path === undefined || name === undefined) return []
  const end = `/accounts/${name}/redirect`
  return path.endsWith(end) ? [] : [{ field: 'redirect_uri', reason: `must end with ${end}` }]
}
