import type { Permission } from '../scopes/permission.ts'
import { MAX_RULES, parseScope, serializeScope } from '../scopes/scope.ts'
import type { ReservedTypes } from './resources.ts'

/** Words of OpenID Connect, which clients add by themselves. */
const OPENID: ReadonlySet<string> = new Set([
  'address',
  'email',
  'offline_access',
  'openid',
  'phone',
  'profile',
])

/** What a public client asks for: words of OpenID are dropped, and nothing at all is what the resource offers. */
export function publicScope(asked: string, offered: readonly string[]): string {
  const rules = asked.split(' ').filter((rule) => rule !== '' && !OPENID.has(rule))
  return rules.length === 0 ? offered.join(' ') : rules.join(' ')
}

/**
 * The rules of a grant with a resource, one for each type and verb, in the order they were asked for.
 * @returns undefined for a scope that such a grant cannot have
 * @see assistants.md 4.6, 4.8
 */
export function splitScope(
  asked: string,
  reserved: Pick<ReservedTypes, 'includes'>,
  isReadOnly = false,
): { readonly scope: string; readonly permissions: readonly Permission[] } | undefined {
  const rules = parseScope(asked)
  if (rules?.every((rule) => isNarrow(rule) && !reserved.includes(rule)) !== true) return undefined
  if (isReadOnly && rules.some(({ verbs }) => verbs.some((verb) => verb !== 'GET'))) {
    return undefined
  }
  const split = new Map<string, Permission>()
  for (const rule of rules) {
    for (const verb of rule.verbs) {
      const permission = { ...rule, verbs: [verb] }
      split.set(serializeScope([permission]), permission)
    }
  }
  if (split.size > MAX_RULES) return undefined
  return { scope: [...split.keys()].join(' '), permissions: [...split.values()] }
}

function isNarrow({ type, selector }: Permission): boolean {
  return !type.endsWith('*') && selector === undefined
}
