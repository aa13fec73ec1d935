import type { AccessContext } from '@svc/oauth-core'
import { MAX_TYPE_LENGTH } from '../limits.ts'

const DOCTYPE = /^[a-z0-9_]+(?:\.[a-z0-9_]+)*$/

/** Whether a text names one doctype: lower-case letters, digits, `_` and inner single dots. No wildcard. */
export function isDoctype(text: string): boolean {
  return text.length <= MAX_TYPE_LENGTH && DOCTYPE.test(text)
}

/** What may be subscribed and sent, beside what permissions say. */
export interface TypeRules {
  /** Refused to everybody, whatever the permissions. */
  readonly reserved: ReadonlySet<string>
  /** Reserved for the app of this slug alone, which needs the permission too (D44). */
  readonly reservedForApp: ReadonlyMap<string, string>
  /** Of which only the server tells; reserved ones are, too. */
  readonly server: ReadonlySet<string>
  /** Need no permission (D16). */
  readonly free: ReadonlySet<string>
  /** Type to the one whose permission counts. */
  readonly aliases: ReadonlyMap<string, string>
}

/** Reserved types below the namespace. @see realtime.md 3, number 2 */
const RESERVED = [
  'account_types',
  'accounts.soft_deleted',
  'instances',
  'oauth.access_codes',
  'permissions',
  'remote.secrets',
  'sessions',
] as const

/**
 * The types below the namespace by whose events a subscriber judges whether it is safe: that the owner confirmed
 * something, logged in, connected a client, changed a factor, was told something. Only the server tells of them, so
 * that no client can make another believe it.
 * @see docs/decisions/0214-events-of-the-server-alone.md
 */
const SERVER_TYPES = [
  'auth.confirmations',
  'notifications',
  'oauth.clients',
  'sessions.logins',
  'settings.factors',
  'settings.passphrase',
  'settings.trusted_devices',
] as const

export function createTypeRules(options: {
  readonly namespace: string
  readonly settingsSlug: string
  readonly reservedTypes: readonly string[]
  readonly serverTypes: readonly string[]
  readonly freeTypes: readonly string[]
  readonly aliases: Readonly<Record<string, string>>
}): TypeRules {
  const { namespace } = options
  const named = (names: readonly string[]): string[] => names.map((name) => `${namespace}.${name}`)
  const reserved = [...named(RESERVED), ...options.reservedTypes]
  return {
    reserved: new Set(reserved),
    reservedForApp: new Map([[`${namespace}.oauth.clients`, options.settingsSlug]]),
    server: new Set([...reserved, ...named(SERVER_TYPES), ...options.serverTypes]),
    free: new Set([`${namespace}.auth.confirmations`, ...options.freeTypes]),
    aliases: new Map(Object.entries(options.aliases)),
  }
}

/** Whether documents of the type are sent to nobody but, at most, one app. */
export function isReserved(rules: TypeRules, type: string): boolean {
  return rules.reserved.has(type) || rules.reservedForApp.has(type)
}

/**
 * Whether a subscription is allowed: of the whole type or, with an id, of one document.
 * @see realtime.md 3, numbers 1 to 5
 */
export function maySubscribe(
  rules: TypeRules,
  access: Pick<AccessContext, 'allows' | 'app' | 'kind'>,
  type: string,
  id: string | undefined,
): boolean {
  const asked = rules.aliases.get(type) ?? type
  if (!isDoctype(type)) return false
  for (const name of new Set([type, asked])) {
    if (rules.reserved.has(name)) return false
    const slug = rules.reservedForApp.get(name)
    if (slug !== undefined && (access.kind !== 'app' || access.app?.slug !== slug)) return false
  }
  if (rules.free.has(type)) return true
  return access.allows('GET', asked, id === undefined ? undefined : { id })
}
