/** Remembers what was seen of late. */
export interface RecentIds {
  /** Notes it; false when it was noted within the time already. */
  isNew(id: string): boolean
}

/** @param options.max - ids kept; the oldest go first */
export function createRecentIds(options: {
  readonly clock: { now(): number }
  readonly keepMs: number
  readonly max: number
}): RecentIds {
  const { clock, keepMs, max } = options
  // In the order of noting.
  const notedAt = new Map<string, number>()

  function forgetOld(now: number): void {
    for (const [id, at] of notedAt) {
      const isOld = now - at >= keepMs || now < at
      if (!isOld && notedAt.size <= max) return
      notedAt.delete(id)
    }
  }

  return {
    isNew(id) {
      const now = clock.now()
      forgetOld(now)
      if (notedAt.has(id)) return false
      notedAt.set(id, now)
      return true
    },
  }
}
