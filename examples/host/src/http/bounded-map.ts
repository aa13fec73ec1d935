/** A map that forgets its oldest entries: what is looked up by strangers' addresses must not grow with them. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  readonly #limit: number

  /** @param limit - 1 or more entries */
  constructor(limit: number) {
    super()
    this.#limit = limit
  }

  override set(key: Key, value: Value): this {
    super.delete(key)
    if (this.size >= this.#limit) {
      const oldest = this.keys().next()
      if (oldest.done !== true) super.delete(oldest.value)
    }
    return super.set(key, value)
  }
}
