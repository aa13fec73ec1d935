import { coversType, type Permission, type Verb } from './permission.ts'

/** A document as the scope rules see it. @see oauth.md 12 */
export interface ScopedDocument {
  readonly id?: string
  readonly [field: string]: unknown
}

/**
 * Whether some rule lets the verb be used on the document or, without one, on the whole type.
 * @see oauth.md 12 "Evaluation"
 */
export function isAllowed(
  permissions: readonly Permission[],
  verb: Verb,
  type: string,
  document?: ScopedDocument,
): boolean {
  return permissions.some(
    (rule) =>
      rule.verbs.includes(verb) &&
      coversType(rule.type, type) &&
      (rule.values === undefined || (document !== undefined && isNamed(rule, document))),
  )
}

/** Whether some rule has the verb and the type, for whatever documents: what a guard can know beforehand (D65). */
export function isConceivable(
  permissions: readonly Permission[],
  verb: Verb,
  type: string,
): boolean {
  return permissions.some((rule) => rule.verbs.includes(verb) && coversType(rule.type, type))
}

/**
 * Whether `child` gives nothing that `parent` does not. The maximal scope is never a subset, not even of itself.
 * @see oauth.md 12 "Subset test"
 */
export function isSubset(child: readonly Permission[], parent: readonly Permission[]): boolean {
  return child.every((rule) => rule.type !== '*' && parent.some((outer) => covers(outer, rule)))
}

function covers(outer: Permission, inner: Permission): boolean {
  if (!coversType(outer.type, inner.type)) return false
  if (!inner.verbs.every((verb) => outer.verbs.includes(verb))) return false
  if (outer.values === undefined) return true
  const { values } = outer
  return (
    inner.selector === outer.selector &&
    inner.values !== undefined &&
    inner.values.every((value) => values.includes(value))
  )
}

/** Whether the values of a rule name the document: by id, or by the field the rule selects. */
function isNamed({ values = [], selector }: Permission, document: ScopedDocument): boolean {
  if (selector === undefined) return document.id !== undefined && values.includes(document.id)
  // Own fields only: a selector may be called `constructor`.
  if (!Object.hasOwn(document, selector)) return false
  const field = document[selector]
  if (Array.isArray(field)) return field.some((item) => values.includes(item))
  return typeof field === 'string' && values.includes(field)
}
