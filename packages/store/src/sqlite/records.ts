import type { DatabaseSync } from 'node:sqlite'
import type { ListRequest } from '../writes/arguments.ts'
import { cursorText, memberText } from '../writes/member.ts'
import { meetsCondition, type PlannedChange } from '../writes/planned-change.ts'
import { parseStored } from '../parse-stored.ts'
import type {
  IndexEntry,
  IndexKey,
  InspectedRecord,
  Key,
  Page,
  Revision,
  StoredRecord,
  WriteResult,
} from '../store.ts'
import { createRowCache, type Row } from './row-cache.ts'

/** The records table and its indexes. Everything is synchronous; changes belong into a write batch. */
export interface Records {
  get(key: Key, now: number): StoredRecord | undefined
  /** In one read transaction: the file is locked once for all of them. */
  getMany(keys: readonly Key[], now: number): (StoredRecord | undefined)[]
  inspect(keys: readonly Key[], now: number): (InspectedRecord | undefined)[]
  take(key: Key, now: number): StoredRecord | undefined
  write(changes: readonly PlannedChange[], revision: Revision, now: number): WriteResult
  list(index: IndexKey, page: ListRequest, now: number): Page
  /** Entries of an index, those of dead records that were not swept yet too. */
  count(index: IndexKey): number
  /** Deletes some records that died before the instant; answers how many. */
  sweep(before: number, atMost: number): number
}

// Rows come as arrays, in the order of the columns named in the statement.
type StateRow = [revision: string, expiresAt: number | null, indexes: string | null]
type ListRow = [
  value: string,
  revision: string,
  expiresAt: number | null,
  sort: string,
  key: string,
]

const COLUMNS = 'r.value, r.revision, r.expires_at'

/** @param onWritten - hears of each record that changes, its sweep aside */
export function createRecords(db: DatabaseSync, onWritten: (key: Key) => void): Records {
  const prepare = (sql: string) => {
    const statement = db.prepare(sql)
    statement.setReturnArrays(true)
    return statement
  }
  const begin = prepare('BEGIN')
  const commit = prepare('COMMIT')
  const select = prepare(`SELECT ${COLUMNS}, r.indexes FROM records r WHERE key = ?`)
  const selectState = prepare('SELECT revision, expires_at, indexes FROM records WHERE key = ?')
  const upsert = prepare(`
    INSERT INTO records (key, value, revision, expires_at, indexes) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (key) DO UPDATE SET value = excluded.value, revision = excluded.revision,
      expires_at = excluded.expires_at, indexes = excluded.indexes`)
  const touch = prepare('UPDATE records SET expires_at = ?, revision = ? WHERE key = ?')
  const revise = prepare('UPDATE records SET value = ?, revision = ? WHERE key = ?')
  const remove = prepare('DELETE FROM records WHERE key = ?')
  const takeOne = prepare(
    'DELETE FROM records WHERE key = ? RETURNING value, revision, expires_at, indexes',
  )
  const addEntry = prepare('INSERT OR IGNORE INTO entries (name, sort, key) VALUES (?, ?, ?)')
  const removeEntry = prepare('DELETE FROM entries WHERE name = ? AND sort = ? AND key = ?')
  const selectDead = prepare('SELECT key, indexes FROM records WHERE expires_at <= ? LIMIT ?')
  const page = (comparison: string, order: string) =>
    prepare(`
      SELECT ${COLUMNS}, e.sort, e.key FROM entries e JOIN records r ON r.key = e.key
      WHERE e.name = ? AND (e.sort, e.key) ${comparison} (?, ?)
        AND (r.expires_at IS NULL OR r.expires_at > ?)
      ORDER BY e.sort ${order}, e.key ${order} LIMIT ?`)
  const countEntries = prepare('SELECT count(*) FROM entries WHERE name = ?')
  const ascending = page('>', 'ASC')
  const descending = page('<', 'DESC')

  const cache = createRowCache()

  function removeEntries(key: string, indexes: string | null): void {
    if (indexes === null) return
    for (const [name, sort] of readEntries(indexes)) removeEntry.run(name, sort, key)
  }

  function put(change: PlannedChange, revision: string, old: string | null): void {
    const { key, text, entries, expiresAt } = change
    const indexes =
      entries.length === 0 ? null : JSON.stringify(entries.map(({ index, sort }) => [index, sort]))
    if (indexes !== old) {
      removeEntries(key, old)
      for (const { index, sort } of entries) addEntry.run(index, sort, key)
    }
    upsert.run(key, text, revision, expiresAt ?? null, indexes)
  }

  function apply(change: PlannedChange, state: StateRow | undefined, revision: string): void {
    const { op, key, expiresAt } = change
    if (op !== 'check') {
      cache.drop(key)
      onWritten(key)
    }
    if (op === 'put') return put(change, revision, state?.[2] ?? null)
    if (op === 'delete' && state !== undefined) {
      removeEntries(key, state[2])
      remove.run(key)
    }
    if (op === 'revise') revise.run(change.text, revision, key)
    if (op === 'touch' && state !== undefined) touch.run(expiresAt ?? null, revision, key)
  }

  function read(key: Key): Row | null {
    const known = cache.find(key)
    if (known !== undefined) return known
    const row = (select.get(key) as Row | undefined) ?? null // The columns it selects.
    cache.keep(key, row)
    return row
  }

  /** In one read transaction, unless all of them are known. */
  function readMany(keys: readonly Key[]): (Row | null)[] {
    const known = keys.map((key) => cache.find(key))
    if (isWhole(known)) return known
    begin.run()
    try {
      return keys.map(read)
    } finally {
      commit.run()
    }
  }

  function readState(key: Key): StateRow | undefined {
    const known = cache.find(key)
    if (known === null) return undefined
    if (known !== undefined) return [known[1], known[2], known[3]]
    return selectState.get(key) as StateRow | undefined // The columns it selects.
  }

  return {
    get: (key, now) => live(key, read(key), now),

    getMany: (keys, now) => readMany(keys).map((row, at) => live(keys[at] as Key, row, now)), // One row for each key.

    inspect: (keys, now) =>
      readMany(keys).map((row, at) => {
        const found = live(keys[at] as Key, row, now) // One row for each key.
        return found === undefined || row === null
          ? undefined
          : { ...found, indexes: indexEntries(row[3]) }
      }),

    take(key, now) {
      cache.drop(key)
      const row = takeOne.get(key) as Row | undefined // The columns of RETURNING.
      if (row === undefined) return undefined
      onWritten(key)
      removeEntries(key, row[3])
      return live(key, row, now)
    },

    write(changes, revision, now) {
      const states = changes.map(({ key }) => readState(key))
      for (const [position, change] of changes.entries()) {
        const state = states[position]
        const current = state !== undefined && isLive(state[1], now) ? state[0] : undefined
        if (!meetsCondition(change, current)) return { written: false, failed: change.key }
      }
      for (const [position, change] of changes.entries()) {
        const state = states[position]
        // A dead record is not touched back to life.
        if (change.op === 'touch' && state !== undefined && !isLive(state[1], now)) continue
        apply(change, state, revision)
      }
      return { written: true, revision }
    },

    list(index, { limit, descending: isDescending, after }, now) {
      const from = after ?? { sort: isDescending ? AFTER_ALL : '', key: '' }
      const statement = isDescending ? descending : ascending
      // The columns it selects. One row more than asked for tells whether another page follows.
      const rows = statement.all(index, from.sort, from.key, now, limit + 1) as unknown as ListRow[]
      const records = rows.slice(0, limit).map(
        ([value, revision, expiresAt, , key]) => record(key as Key, value, revision, expiresAt), // Stored from a Key.
      )
      const last = rows[limit - 1]
      if (rows.length <= limit || last === undefined) return { records }
      return { records, cursor: cursorText(memberText(last[3], last[4])) }
    },

    // The column it selects.
    count: (index) => (countEntries.get(index) as unknown as [number])[0],

    sweep(before, atMost) {
      // The columns it selects.
      const dead = selectDead.all(before, atMost) as unknown as [string, string | null][]
      for (const [key, indexes] of dead) {
        cache.drop(key)
        removeEntries(key, indexes)
        remove.run(key)
      }
      return dead.length
    },
  }
}

/** Sorts after every sort there can be: no UTF-8 text is longer than allowed and made of its largest character. */
const AFTER_ALL = '\u{10ffff}'.repeat(65)

function isWhole(rows: readonly (Row | null | undefined)[]): rows is (Row | null)[] {
  return !rows.includes(undefined)
}

function isLive(expiresAt: number | null, now: number): boolean {
  return expiresAt === null || expiresAt > now
}

function live(key: Key, row: Row | null, now: number): StoredRecord | undefined {
  return row !== null && isLive(row[2], now) ? record(key, row[0], row[1], row[2]) : undefined
}

function record(key: Key, text: string, rev: string, expiresAt: number | null): StoredRecord {
  const value = parseStored(text)
  const revision = rev as Revision // Written from a Revision.
  return expiresAt === null ? { key, value, revision } : { key, value, revision, expiresAt }
}

/** The index entries of a row. */
export function indexEntries(indexes: string | null): IndexEntry[] {
  return indexes === null
    ? []
    : readEntries(indexes).map(([name, sort]) => ({ index: name as IndexKey, sort })) // Stored from an IndexKey.
}

function readEntries(indexes: string): readonly [name: string, sort: string][] {
  return parseStored(indexes) as [string, string][] // Written by put.
}
