import { isSlug } from '@svc/platform'
import { MAXIMAL, type Permission, VERBS, type Verb } from './permission.ts'

/** Rules a scope may have. @see oauth.md 12 number 8 */
export const MAX_RULES = 64
/** Values a rule may have. @see oauth.md 12 number 8 */
export const MAX_VALUES = 100

// SPEC: oauth.md 12. Each expression is one character class repeated, or parts that cannot overlap: linear.
const NAME = /^[a-z0-9_]+(?:\.[a-z0-9_]+)*$/
/** Characters of an RFC 6749 scope without those that separate parts and values. */
const VALUE = /^[!#-+\-./0-9;-[\]-~]+$/
const RESERVED: ReadonlySet<string> = new Set(['login', 'openid', 'offline_access'])

/**
 * Reads a scope string: rules separated by one space. `*` alone answers {@link MAXIMAL}.
 * Spaces around it are the caller's to trim.
 * @returns undefined when any part of it is not of the grammar of oauth.md 12
 */
export function parseScope(text: string): readonly Permission[] | undefined {
  if (text === '*') return [MAXIMAL]
  const rules = text.split(' ', MAX_RULES + 1)
  if (rules.length > MAX_RULES) return undefined
  const permissions: Permission[] = []
  for (const rule of rules) {
    const permission = parseRule(rule)
    if (permission === undefined) return undefined
    permissions.push(permission)
  }
  return permissions
}

/** Writes rules in their canonical form; `parseScope` reads it back. */
export function serializeScope(permissions: readonly Permission[]): string {
  return permissions.map(serializeRule).join(' ')
}

/** Whether a text can be the type of a rule. */
export function isType(text: string): boolean {
  if (RESERVED.has(text)) return false
  if (!text.endsWith('.*')) return NAME.test(text)
  // SPEC: oauth.md 12 number 4 - at least three dots: `io.svc.*` would be everything the server has.
  return NAME.test(text.slice(0, -2)) && text.split('.', 4).length === 4
}

/** Whether a text can be a value or a selector. */
export function isValue(text: string): boolean {
  return VALUE.test(text)
}

/** The verbs in their fixed order, each once; undefined when one is unknown, none is given, or `ALL` is not alone. */
export function parseVerbs(names: readonly string[]): readonly Verb[] | undefined {
  if (names.length === 1 && names[0] === 'ALL') return VERBS
  const asked = new Set(names)
  const verbs = VERBS.filter((verb) => asked.has(verb))
  return verbs.length === asked.size && verbs.length > 0 ? verbs : undefined
}

function parseRule(rule: string): Permission | undefined {
  const parts = rule.split(':', 5)
  const [type, verbNames, values, selector] = parts
  if (parts.length > 4 || type === undefined || !isType(type)) return undefined
  const verbs = verbNames === undefined ? VERBS : parseVerbs(verbNames.split(','))
  if (verbs === undefined) return undefined
  if (values === undefined) return { type, verbs }
  const list = values.split(',', MAX_VALUES + 1)
  if (list.length > MAX_VALUES || !list.every(isValue)) return undefined
  if (selector === undefined) return { type, verbs, values: list }
  return isValue(selector) ? { type, verbs, values: list, selector } : undefined
}

function serializeRule({ type, verbs, values, selector }: Permission): string {
  const all = VERBS.every((verb) => verbs.includes(verb))
  if (all && values === undefined) return type
  const parts = [type, all ? 'ALL' : VERBS.filter((verb) => verbs.includes(verb)).join(',')]
  if (values !== undefined) parts.push(values.join(','))
  if (selector !== undefined) parts.push(selector)
  return parts.join(':')
}

/** The scope stored and answered for a client that is linked to an app: `@<namespace>.apps/<slug>`. */
export function linkedScope(namespace: string, slug: string): string {
  return `@${namespace}.apps/${slug}`
}

/** Slug of the app a stored scope stands for, or undefined for any other scope. */
export function slugOfScope(namespace: string, scope: string): string | undefined {
  const prefix = `@${namespace}.apps/`
  if (!scope.startsWith(prefix)) return undefined
  const slug = scope.slice(prefix.length)
  return isSlug(slug) ? slug : undefined
}
