/** What one address may have of a bound that all share: an eighth, but something. */
const SHARE = 8

/** A bound on what a process holds at a time, of which no client address has more than its share. */
export class SharedBound {
  readonly #limit: number
  readonly #share: number
  readonly #held = new Map<string, number>()
  #total = 0

  constructor(limit: number) {
    this.#limit = limit
    this.#share = Math.max(1, Math.floor(limit / SHARE))
  }

  get total(): number {
    return this.#total
  }

  /** False: there is no room for so much more, and nothing is taken. */
  take(address: string, amount: number): boolean {
    const held = (this.#held.get(address) ?? 0) + amount
    if (this.#total + amount > this.#limit || held > this.#share) return false
    this.#total += amount
    this.#held.set(address, held)
    return true
  }

  give(address: string, amount: number): void {
    if (amount === 0) return
    this.#total -= amount
    const held = (this.#held.get(address) ?? 0) - amount
    if (held > 0) this.#held.set(address, held)
    else this.#held.delete(address)
  }
}
