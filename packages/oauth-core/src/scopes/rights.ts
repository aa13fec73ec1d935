import type { Permission, Verb } from './permission.ts'

/**
 * What an owner decides about one by one: reading, adding and changing, deleting.
 * @example
 * const fields = RIGHTS.map((right) => `group-files-${right}`)
 */
export const RIGHTS = ['read', 'change', 'delete'] as const

/**
 * What an owner decides about one by one: `read` is the verb GET, `change` is POST, PUT and PATCH, `delete` is DELETE.
 * @see docs/recipes/own-scopes.md of the repository
 */
export type Right = (typeof RIGHTS)[number]

const RIGHT_OF: Readonly<Record<Verb, Right>> = {
  GET: 'read',
  POST: 'change',
  PUT: 'change',
  PATCH: 'change',
  DELETE: 'delete',
}

/**
 * The rights that a rule asks, in their order.
 * @example
 * const rights = rightsOf({ verbs: ['GET', 'POST'] }) // read, change
 */
export function rightsOf({ verbs }: Pick<Permission, 'verbs'>): readonly Right[] {
  const asked = new Set(verbs.map((verb) => RIGHT_OF[verb]))
  return RIGHTS.filter((right) => asked.has(right))
}

/** The rule with the verbs of these rights only; undefined when none is left. The rule itself when all are. */
export function withRights(
  permission: Permission,
  keeps: (right: Right) => boolean,
): Permission | undefined {
  const verbs = permission.verbs.filter((verb) => keeps(RIGHT_OF[verb]))
  if (verbs.length === permission.verbs.length) return permission
  return verbs.length === 0 ? undefined : { ...permission, verbs }
}
