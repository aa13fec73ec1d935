import { isSubset } from './evaluate.ts'
import { coversType, type Permission } from './permission.ts'

/** What some rules still give of what they gave, once only `kept` may stay. The rules themselves where all of it stays. */
export function narrowed(
  rules: readonly Permission[],
  kept: readonly Permission[],
): readonly Permission[] {
  if (isSubset(rules, kept)) return rules
  const left: Permission[] = []
  for (const rule of rules) {
    for (const other of kept) {
      const both = intersection(rule, other)
      if (both !== undefined && !isSubset([both], left)) left.push(both)
    }
  }
  return left
}

/**
 * What both rules give; undefined when that is nothing, or more than one rule can say: documents that two different
 * fields select.
 */
function intersection(a: Permission, b: Permission): Permission | undefined {
  const verbs = a.verbs.filter((verb) => b.verbs.includes(verb))
  if (verbs.length === 0) return undefined
  if (coversType(a.type, b.type)) return withValues({ type: b.type, verbs }, a, b)
  return coversType(b.type, a.type) ? withValues({ type: a.type, verbs }, a, b) : undefined
}

function withValues(
  both: Pick<Permission, 'type' | 'verbs'>,
  a: Permission,
  b: Permission,
): Permission | undefined {
  if (a.values === undefined) return { ...both, ...chosen(b) }
  if (b.values === undefined) return { ...both, ...chosen(a) }
  if (a.selector !== b.selector) return undefined
  const values = a.values.filter((value) => b.values?.includes(value))
  return values.length === 0 ? undefined : { ...both, ...chosen({ ...a, values }) }
}

function chosen({ values, selector }: Permission): Pick<Permission, 'values' | 'selector'> {
  return {
    ...(values === undefined ? {} : { values }),
    ...(selector === undefined ? {} : { selector }),
  }
}
