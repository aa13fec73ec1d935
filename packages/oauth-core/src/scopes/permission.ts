/**
 * The verbs of a rule; HEAD goes with GET.
 * @example
 * const allow = VERBS.join(', ')
 */
export const VERBS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/**
 * What a permission allows, as a method of HTTP.
 * @see docs/recipes/own-scopes.md of the repository
 */
export type Verb = (typeof VERBS)[number]

/** One rule of a scope. @see oauth.md 12 */
export interface Permission {
  /** A doctype, one ending in `.*`, or `*` alone: everything ({@link MAXIMAL}). */
  readonly type: string
  readonly verbs: readonly Verb[]
  /** Restricts to these ids, or to these values of the field `selector`. Absent: the whole type. */
  readonly values?: readonly string[]
  readonly selector?: string
  /** Of a manifest; not part of a scope string. */
  readonly title?: string
  readonly description?: string
}

/** The one rule of scope `*`: everything; only certified flagship clients hold it. */
export const MAXIMAL: Permission = { type: '*', verbs: VERBS }

/** Whether every document of type `inner` is one of type `outer`; both may be wildcards. @see oauth.md 12 number 4 */
export function coversType(outer: string, inner: string): boolean {
  if (outer === '*') return true
  if (!outer.endsWith('.*')) return outer === inner
  const root = outer.slice(0, -2)
  const below = inner.endsWith('.*') ? inner.slice(0, -2) : inner
  return below === root || below.startsWith(`${root}.`)
}
