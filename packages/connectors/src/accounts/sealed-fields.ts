import { isLongInteger } from '@svc/store'

/** Sealed values stand under their clear name and this. @see connectors.md 7.3.1 */
export const SEALED_SUFFIX = '_encrypted'

/** Documents nest this deep; what is deeper is dropped from views and not looked at. */
const DEEPEST = 32

type Members = Readonly<Record<string, unknown>>

/** A copy without members whose name says that they are sealed, at any depth. */
export function withoutSealed(value: Members): Record<string, unknown> {
  return copyObject(value, 0)
}

function copyObject(value: Members, depth: number): Record<string, unknown> {
  const kept = Object.entries(value).filter(([name]) => !name.endsWith(SEALED_SUFFIX))
  return Object.fromEntries(kept.map(([name, member]) => [name, copy(member, depth + 1)]))
}

function copy(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null || isLongInteger(value)) return value
  if (depth > DEEPEST) return null
  if (Array.isArray(value)) return value.map((item: unknown) => copy(item, depth + 1))
  return copyObject(value as Members, depth)
}
