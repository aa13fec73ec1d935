/** What a SUBSCRIBE or UNSUBSCRIBE is about: a whole type, or one document of it. */
export interface Topic {
  readonly type: string
  readonly id?: string
}

/** What one connection subscribed to. */
export interface Subscriptions {
  readonly size: number
  /** Idempotent; `full`: nothing was added. */
  add(topic: Topic): 'added' | 'known' | 'full'
  /** Without an id: everything of the type. Unknown ones are nothing. */
  remove(topic: Topic): void
  /** Whether anything of the type is left. */
  hasType(type: string): boolean
  matches(type: string, id: string): boolean
  list(): readonly Topic[]
}

interface OfType {
  isWhole: boolean
  readonly ids: Set<string>
}

/** @param max - subscriptions at a time */
export function createSubscriptions(max: number): Subscriptions {
  const types = new Map<string, OfType>()
  let size = 0

  return {
    get size() {
      return size
    },
    add({ type, id }) {
      const known = types.get(type)
      const has = id === undefined ? known?.isWhole === true : known?.ids.has(id) === true
      if (has) return 'known'
      if (size >= max) return 'full'
      const ofType = known ?? { isWhole: false, ids: new Set() }
      types.set(type, ofType)
      if (id === undefined) ofType.isWhole = true
      else ofType.ids.add(id)
      size += 1
      return 'added'
    },
    remove({ type, id }) {
      const ofType = types.get(type)
      if (ofType === undefined) return
      if (id === undefined) {
        size -= ofType.ids.size + (ofType.isWhole ? 1 : 0)
        types.delete(type)
        return
      }
      if (ofType.ids.delete(id)) size -= 1
      if (ofType.ids.size === 0 && !ofType.isWhole) types.delete(type)
    },
    hasType: (type) => types.has(type),
    matches(type, id) {
      const ofType = types.get(type)
      return ofType !== undefined && (ofType.isWhole || ofType.ids.has(id))
    },
    list: () =>
      [...types].flatMap(([type, { isWhole, ids }]) => [
        ...(isWhole ? [{ type }] : []),
        ...[...ids].map((id) => ({ type, id })),
      ]),
  }
}
