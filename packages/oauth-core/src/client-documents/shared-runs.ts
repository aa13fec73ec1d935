/** What is under way, by a key: whoever asks for the same meanwhile gets the same answer. Nothing is kept after it. */
export class SharedRuns<Value> {
  readonly #underWay = new Map<string, Promise<Value>>()

  /** @param start - asked when nothing of the key is under way */
  run(key: string, start: () => Promise<Value>): Promise<Value> {
    const underWay = this.#underWay.get(key)
    if (underWay !== undefined) return underWay
    const run = start().finally(() => this.#underWay.delete(key))
    this.#underWay.set(key, run)
    return run
  }

  /** Resolves when what is under way now has ended. */
  async idle(): Promise<void> {
    await Promise.allSettled(this.#underWay.values())
  }
}
