/** A record as the table has it. */
export type Row = [
  value: string,
  revision: string,
  expiresAt: number | null,
  indexes: string | null,
]

/** Rows that were read and not written since, also those that are not there. Least recently used ones go first. */
export interface RowCache {
  /** `undefined`: not known; `null`: there is none. */
  find(key: string): Row | null | undefined
  /** Keeps what was just read. Not within a transaction that writes: it may be rolled back. */
  keep(key: string, row: Row | null): void
  /** Forgets a row that is about to be written. Coming back after a rollback, it is read again. */
  drop(key: string): void
}

/** Characters of keys and rows, with what an entry takes besides: some 2 MiB at most. */
const MAX_SIZE = 1024 * 1024
/** Longer ones are read from the page cache; a few of them would take the place of everything else. */
const MAX_ROW = MAX_SIZE / 16
const ENTRY_SIZE = 200

/**
 * The lock of the file keeps other processes out and no transaction is open across turns, so what was read stays true
 * until this process writes it. A read from here costs a map instead of a statement. Two dozen lines in place of a
 * library: the package is to stay small for whoever brings a store of their own.
 * @see docs/decisions/0741
 */
export function createRowCache(): RowCache {
  // In the order of use: a map keeps that in which its entries were put.
  const entries = new Map<string, { readonly row: Row | null; readonly size: number }>()
  let size = 0

  function drop(key: string): void {
    const known = entries.get(key)
    if (known === undefined) return
    entries.delete(key)
    size -= known.size
  }

  return {
    find(key) {
      const known = entries.get(key)
      if (known === undefined) return undefined
      entries.delete(key)
      entries.set(key, known)
      return known.row
    },
    keep(key, row) {
      drop(key)
      const entry = { row, size: sizeOf(key, row) }
      if (entry.size > MAX_ROW) return
      entries.set(key, entry)
      size += entry.size
      for (const oldest of entries.keys()) {
        if (size <= MAX_SIZE) return
        drop(oldest)
      }
    },
    drop,
  }
}

function sizeOf(key: string, row: Row | null): number {
  return ENTRY_SIZE + key.length + (row === null ? 0 : row[0].length + (row[3]?.length ?? 0))
}
