/** Values that may be used again for less than a second after the look-up that found them began. */
export interface FreshCache<Value> {
  /** The value itself while it is fresh, else a promise of it; parallel callers share one look-up. */
  get(key: string, load: () => Promise<Value>): Value | Promise<Value>
  /** The next `get` looks up anew, even while a look-up is under way. */
  drop(key: string): void
  clear(): void
}

interface Entry<Value> {
  readonly startedAt: number
  readonly promise: Promise<Value>
  found: { readonly value: Value } | undefined
}

/**
 * Entries are held in two generations, the older one thrown away whole: what is too old to be used takes no memory.
 * @param options.maxAgeMs - counted from the start of the look-up, so that a slow store does not stretch it
 * @param options.max - entries kept, at least 2
 * @example
 * const cache = createFreshCache<string>({ clock, maxAgeMs: 1000, max: 100 })
 */
export function createFreshCache<Value>(options: {
  readonly clock: { now(): number }
  readonly maxAgeMs: number
  readonly max: number
}): FreshCache<Value> {
  const { clock, maxAgeMs, max } = options
  let young = new Map<string, Entry<Value>>()
  let old = new Map<string, Entry<Value>>()
  let turnedAt = Number.NEGATIVE_INFINITY

  function isFresh(entry: Entry<Value>, now: number): boolean {
    const ageMs = now - entry.startedAt
    // A clock that was set back must not keep an entry alive.
    return ageMs >= 0 && ageMs < maxAgeMs
  }

  /** Everything in the older generation began its look-up before the last turn: at the next one it is not fresh. */
  function turn(now: number): void {
    old = now - turnedAt < 2 * maxAgeMs ? young : new Map()
    young = new Map()
    turnedAt = now
  }

  function look(key: string, now: number, load: () => Promise<Value>): Promise<Value> {
    if (young.size >= max / 2) turn(now)
    const entry: Entry<Value> = { startedAt: now, promise: load(), found: undefined }
    young.set(key, entry)
    entry.promise.then(
      (value) => {
        entry.found = { value }
      },
      () => {
        // A failure is no answer: the next caller asks again.
        for (const generation of [young, old]) {
          if (generation.get(key) === entry) generation.delete(key)
        }
      },
    )
    return entry.promise
  }

  return {
    get(key, load) {
      const now = clock.now()
      const sinceMs = now - turnedAt
      if (sinceMs >= maxAgeMs || sinceMs < 0) turn(now)
      const entry = young.get(key) ?? old.get(key)
      if (entry === undefined || !isFresh(entry, now)) return look(key, now, load)
      return entry.found === undefined ? entry.promise : entry.found.value
    },
    drop: (key) => {
      young.delete(key)
      old.delete(key)
    },
    clear: () => {
      young.clear()
      old.clear()
    },
  }
}
