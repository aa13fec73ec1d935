/** The verbs of a rule; HEAD goes with GET. */
export const VERBS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

export type Verb = (typeof VERBS)[number]

/** One rule of a scope. @see oauth.md 12 */
export interface Permission {
  /** A doctype, or one ending in `.*`. */
  readonly type: string
  readonly verbs: readonly Verb[]
  /** Restricts to these ids, or to these values of the field `selector`. Absent: the whole type. */
  readonly values?: readonly string[]
  readonly selector?: string
  /** Of a manifest; not part of a scope string. */
  readonly title?: string
  readonly description?: string
}
