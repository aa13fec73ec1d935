export interface RecentIdsOptions {
  readonly clock: { now(): number }
  readonly keepMs: number
  /** Ids kept; the oldest go first. */
  readonly max: number
}

/** Remembers what was seen of late. */
export class RecentIds {
  readonly #options: RecentIdsOptions
  /** In the order of noting. */
  readonly #notedAt = new Map<string, number>()

  constructor(options: RecentIdsOptions) {
    this.#options = options
  }

  /** Notes it; false when it was noted within the time already. */
  isNew(id: string): boolean {
    const now = this.#options.clock.now()
    this.#forgetOld(now)
    if (this.#notedAt.has(id)) return false
    this.#notedAt.set(id, now)
    return true
  }

  #forgetOld(now: number): void {
    const { keepMs, max } = this.#options
    for (const [id, at] of this.#notedAt) {
      const isOld = now - at >= keepMs || now < at
      if (!isOld && this.#notedAt.size <= max) return
      this.#notedAt.delete(id)
    }
  }
}
