import type { DatabaseSync } from 'node:sqlite'
import { parseStored } from '../parse-stored.ts'
import type { WriteResult } from '../store.ts'

/** What writes with an id answered, so that a repeat is answered the same. Synchronous. */
export interface Answers {
  find(id: string, now: number): WriteResult | undefined
  keep(id: string, answer: WriteResult, expiresAt: number): void
  /** Writes something, to see whether writing works. */
  probe(now: number): void
  sweep(before: number, atMost: number): number
}

export function createAnswers(db: DatabaseSync): Answers {
  const select = db.prepare('SELECT answer, expires_at FROM answers WHERE id = ?')
  select.setReturnArrays(true)
  const insert = db.prepare(
    'INSERT OR REPLACE INTO answers (id, answer, expires_at) VALUES (?, ?, ?)',
  )
  const remove = db.prepare(`
    DELETE FROM answers
    WHERE id IN (SELECT id FROM answers WHERE expires_at <= ? LIMIT ?)`)
  return {
    find(id, now) {
      // The columns it selects.
      const row = select.get(id) as [answer: string, expiresAt: number] | undefined
      if (row === undefined || row[1] <= now) return undefined
      return parseStored(row[0]) as WriteResult // Written by keep.
    },
    keep: (id, answer, expiresAt) => void insert.run(id, JSON.stringify(answer), expiresAt),
    // No id looks like this: ids begin with an instance.
    probe: (now) => void insert.run('#health', '{}', now),
    sweep: (before, atMost) => Number(remove.run(before, atMost).changes),
  }
}
