import type { ManifestPermission } from '../ports.ts'
import { type Permission, VERBS, type Verb } from './permission.ts'
import { isType, isValue, MAX_RULES, MAX_VALUES, parseVerbs } from './scope.ts'

/**
 * Reads the JSON form of a scope, that of manifests: title to rule, order kept. Unlike a scope string it may give
 * `ALL` among other verbs. For the moment an app is installed as much as for the guard.
 * @throws TypeError naming the title whose rule is not of the grammar
 * @see oauth.md 12
 */
export function manifestPermissions(
  permissions: Readonly<Record<string, ManifestPermission>>,
): readonly Permission[] {
  const entries = Object.entries(permissions)
  if (entries.length > MAX_RULES)
    throw new TypeError(`permissions: at most ${MAX_RULES} rules are allowed`)
  return entries.map(([title, rule]) => parseEntry(title, rule))
}

function parseEntry(title: string, rule: ManifestPermission): Permission {
  const { type, verbs: names, values, selector, description } = rule
  if (typeof type !== 'string' || !isType(type)) throw fault(title, 'type')
  const verbs = names === undefined ? VERBS : verbsOf(names)
  if (verbs === undefined) throw fault(title, 'verbs')
  if (values !== undefined && !isValueList(values)) throw fault(title, 'values')
  // A selector without values would restrict nothing although it reads like a restriction.
  if (selector !== undefined && (values === undefined || !isValue(selector)))
    throw fault(title, 'selector')
  return {
    type,
    verbs,
    ...(values === undefined ? {} : { values }),
    ...(selector === undefined ? {} : { selector }),
    title,
    ...(description === undefined ? {} : { description }),
  }
}

function verbsOf(names: readonly string[]): readonly Verb[] | undefined {
  if (!Array.isArray(names)) return undefined
  if (!names.includes('ALL')) return parseVerbs(names)
  const others = names.filter((name) => name !== 'ALL')
  return others.length === 0 || parseVerbs(others) !== undefined ? VERBS : undefined
}

function isValueList(values: readonly string[]): boolean {
  const fits = Array.isArray(values) && values.length > 0 && values.length <= MAX_VALUES
  return fits && values.every((value) => typeof value === 'string' && isValue(value))
}

function fault(title: string, member: string): TypeError {
  return new TypeError(`permissions.${title}.${member} is malformed`)
}
