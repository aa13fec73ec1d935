/** What a SUBSCRIBE or UNSUBSCRIBE is about: a whole type, or one document of it. */
export interface Topic {
  readonly type: string
  readonly id?: string
}

interface OfType {
  isWhole: boolean
  readonly ids: Set<string>
}

/** What one connection subscribed to. */
export class Subscriptions {
  readonly #max: number
  readonly #types = new Map<string, OfType>()
  #size = 0

  /** @param max - subscriptions at a time */
  constructor(max: number) {
    this.#max = max
  }

  get size(): number {
    return this.#size
  }

  /** Idempotent; `full`: nothing was added. */
  add({ type, id }: Topic): 'added' | 'known' | 'full' {
    const known = this.#types.get(type)
    const has = id === undefined ? known?.isWhole === true : known?.ids.has(id) === true
    if (has) return 'known'
    if (this.#size >= this.#max) return 'full'
    const ofType = known ?? { isWhole: false, ids: new Set() }
    this.#types.set(type, ofType)
    if (id === undefined) ofType.isWhole = true
    else ofType.ids.add(id)
    this.#size += 1
    return 'added'
  }

  /** Without an id: everything of the type. Unknown ones are nothing. */
  remove({ type, id }: Topic): void {
    const ofType = this.#types.get(type)
    if (ofType === undefined) return
    if (id === undefined) {
      this.#size -= ofType.ids.size + (ofType.isWhole ? 1 : 0)
      this.#types.delete(type)
      return
    }
    if (ofType.ids.delete(id)) this.#size -= 1
    if (ofType.ids.size === 0 && !ofType.isWhole) this.#types.delete(type)
  }

  /** Whether anything of the type is left. */
  hasType(type: string): boolean {
    return this.#types.has(type)
  }

  matches(type: string, id: string): boolean {
    const ofType = this.#types.get(type)
    return ofType !== undefined && (ofType.isWhole || ofType.ids.has(id))
  }

  list(): readonly Topic[] {
    return [...this.#types].flatMap(([type, { isWhole, ids }]) => [
      ...(isWhole ? [{ type }] : []),
      ...[...ids].map((id) => ({ type, id })),
    ])
  }
}
