/** A record as the table has it. */
export type Row = [
  value: string,
  revision: string,
  expiresAt: number | null,
  indexes: string | null,
]

/** Rows that were read and not written since, also those that are not there. What was not asked for in a while goes. */
export interface RowCache {
  /** `undefined`: not known; `null`: there is none. */
  find(key: string): Row | null | undefined
  /** Keeps what was just read. Not within a transaction that writes: it may be rolled back. */
  keep(key: string, row: Row | null): void
  /** Forgets a row that is about to be written. Coming back after a rollback, it is read again. */
  drop(key: string): void
}

/** Characters of keys and rows in each of two generations, with what an entry takes besides: some 2 MiB together. */
const MAX_SIZE = 512 * 1024
/** Longer ones are read from the page cache; a few of them would take the place of everything else. */
const MAX_ROW = MAX_SIZE / 8
const ENTRY_SIZE = 200

interface Entry {
  readonly row: Row | null
  readonly size: number
}

/**
 * The lock of the file keeps other processes out and no transaction is open across turns, so what was read stays true
 * until this process writes it. A read from here costs a look into a map instead of a statement: the older of two
 * generations is thrown away whole, and what is found there is young again. Two dozen lines in place of a library: the
 * package is to stay small for whoever brings a store of their own.
 * @see docs/decisions/0741
 */
export function createRowCache(): RowCache {
  let young = new Map<string, Entry>()
  let old = new Map<string, Entry>()
  /** Of the young ones. */
  let size = 0

  function put(key: string, entry: Entry): void {
    young.set(key, entry)
    size += entry.size
    if (size <= MAX_SIZE) return
    old = young
    young = new Map()
    size = 0
  }

  function drop(key: string): void {
    const known = young.get(key)
    if (known !== undefined) {
      young.delete(key)
      size -= known.size
    }
    old.delete(key)
  }

  return {
    find(key) {
      const known = young.get(key)
      if (known !== undefined) return known.row
      const older = old.get(key)
      if (older === undefined) return undefined
      put(key, older)
      return older.row
    },
    keep(key, row) {
      drop(key)
      const entry = { row, size: sizeOf(key, row) }
      if (entry.size <= MAX_ROW) put(key, entry)
    },
    drop,
  }
}

function sizeOf(key: string, row: Row | null): number {
  return ENTRY_SIZE + key.length + (row === null ? 0 : row[0].length + (row[3]?.length ?? 0))
}
