import type { DatabaseSync } from 'node:sqlite'
import type { Hit, Key } from '../store.ts'

/** The counters table. Everything is synchronous; a hit belongs into a write batch. */
export interface Counters {
  read(counter: Key, now: number): Hit
  hit(counter: Key, windowMs: number, by: number, now: number): Hit
  /** Puts a window in the place of what is there. */
  load(counter: Key, hit: Hit): void
  /** Deletes some windows that ended before the instant; answers how many. */
  sweep(before: number, atMost: number): number
}

type Row = [count: number, resetsAt: number]

export function createCounters(db: DatabaseSync): Counters {
  const select = db.prepare('SELECT count, resets_at FROM counters WHERE key = ?')
  select.setReturnArrays(true)
  const upsert = db.prepare(`
    INSERT INTO counters (key, count, resets_at) VALUES (?, ?, ?)
    ON CONFLICT (key) DO UPDATE SET count = excluded.count, resets_at = excluded.resets_at`)
  const remove = db.prepare(`
    DELETE FROM counters
    WHERE key IN (SELECT key FROM counters WHERE resets_at <= ? LIMIT ?)`)

  function openWindow(counter: Key, now: number): Row | undefined {
    const row = select.get(counter) as Row | undefined // The columns it selects.
    return row !== undefined && row[1] > now ? row : undefined
  }

  function read(counter: Key, now: number): Hit {
    const window = openWindow(counter, now)
    return window === undefined
      ? { count: 0, resetsAt: now }
      : { count: window[0], resetsAt: window[1] }
  }

  return {
    read,
    hit(counter, windowMs, by, now) {
      const window = openWindow(counter, now)
      if (by === 0 || (by < 0 && window === undefined)) return read(counter, now)
      const count = Math.max(0, (window?.[0] ?? 0) + by)
      const resetsAt = window?.[1] ?? now + windowMs
      upsert.run(counter, count, resetsAt)
      return { count, resetsAt }
    },
    load: (counter, { count, resetsAt }) => void upsert.run(counter, count, resetsAt),
    sweep: (before, atMost) => Number(remove.run(before, atMost).changes),
  }
}
