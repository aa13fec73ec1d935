import type { AccountDocument } from './account.ts'
import { LEGACY_SECRETS } from './legacy-auth.ts'
import { withoutSealed } from './sealed-fields.ts'

/** Members of `oauth` that are no secret. */
const PUBLIC_OAUTH = [
  'token_type',
  'expires_at',
  'scope',
  'refresh_expires_at',
  'subject',
  'status',
  'refresh_seq',
  'refreshed_at',
  'last_error',
] as const

/**
 * The account without anything sealed, and without anything that should have been: what subscribers and readers get.
 * @see connectors.md 7.2, 7.4
 */
export function publicAccount(account: AccountDocument): Record<string, unknown> {
  const bare = withoutSealed(account)
  delete bare['oauth_callback_results']
  const { oauth, auth, data } = bare
  if (isMembers(oauth)) bare['oauth'] = pick(oauth, PUBLIC_OAUTH)
  if (isMembers(auth)) bare['auth'] = withoutSecrets(auth)
  if (isMembers(data) && isMembers(data['auth'])) {
    bare['data'] = { ...data, auth: withoutSecrets(data['auth']) }
  }
  return bare
}

function withoutSecrets(auth: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const kept = Object.entries(auth).filter(
    ([name]) => name !== 'password' && !LEGACY_SECRETS.includes(name),
  )
  return Object.fromEntries(kept)
}

function pick(
  members: Readonly<Record<string, unknown>>,
  names: readonly string[],
): Record<string, unknown> {
  return Object.fromEntries(
    names.filter((name) => Object.hasOwn(members, name)).map((name) => [name, members[name]]),
  )
}

function isMembers(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
