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
  if (typeof value !== 'object' || value === null) return value
  if (depth > DEEPEST) return null
  if (Array.isArray(value)) return value.map((item: unknown) => copy(item, depth + 1))
  return copyObject(value as Members, depth)
}

/**
 * A copy with other values in the place of the sealed ones that `replace` answers one for; undefined when it answers
 * none.
 * @param replace - gets the clear path, such as `oauth.access_token`, and the sealed text
 */
export function replaceSealed<Document extends Members>(
  document: Document,
  replace: (field: string, sealed: string) => string | undefined,
): Document | undefined {
  const changed = replaceIn(document, '', 0)
  return changed === undefined ? undefined : (changed as Document) // Same members, other texts.

  function replaceIn(value: Members, path: string, depth: number): Members | undefined {
    if (depth > DEEPEST) return undefined
    const changes: [string, unknown][] = []
    for (const [name, member] of Object.entries(value)) {
      const other = replaceMember(name, member, path, depth)
      if (other !== undefined) changes.push([name, other])
    }
    if (changes.length === 0) return undefined
    const all = new Map([...Object.entries(value), ...changes])
    return Object.fromEntries(all)
  }

  function replaceMember(name: string, member: unknown, path: string, depth: number): unknown {
    if (typeof member === 'string' && name.endsWith(SEALED_SUFFIX)) {
      return replace(`${path}${name.slice(0, -SEALED_SUFFIX.length)}`, member)
    }
    if (typeof member !== 'object' || member === null || Array.isArray(member)) return undefined
    return replaceIn(member as Members, `${path}${name}.`, depth + 1)
  }
}
