import { LRUCache } from 'lru-cache'

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
 * @param options.maxAgeMs - counted from the start of the look-up, so that a slow store does not stretch it
 * @param options.max - entries kept
 */
export function createFreshCache<Value>(options: {
  readonly clock: { now(): number }
  readonly maxAgeMs: number
  readonly max: number
}): FreshCache<Value> {
  const { clock, maxAgeMs, max } = options
  const entries = new LRUCache<string, Entry<Value>>({ max })

  function isFresh(entry: Entry<Value>, now: number): boolean {
    const ageMs = now - entry.startedAt
    // A clock that was set back must not keep an entry alive.
    return ageMs >= 0 && ageMs < maxAgeMs
  }

  function look(key: string, now: number, load: () => Promise<Value>): Promise<Value> {
    const entry: Entry<Value> = { startedAt: now, promise: load(), found: undefined }
    entries.set(key, entry)
    entry.promise.then(
      (value) => {
        entry.found = { value }
      },
      () => {
        // A failure is no answer: the next caller asks again.
        if (entries.peek(key) === entry) entries.delete(key)
      },
    )
    return entry.promise
  }

  return {
    get(key, load) {
      const now = clock.now()
      const entry = entries.get(key)
      if (entry === undefined || !isFresh(entry, now)) return look(key, now, load)
      return entry.found === undefined ? entry.promise : entry.found.value
    },
    drop: (key) => {
      entries.delete(key)
    },
    clear: () => entries.clear(),
  }
}
