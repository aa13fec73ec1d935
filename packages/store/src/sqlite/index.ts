import type { Store } from '../store.ts'
import { openFile } from './open-file.ts'
import { SQLITE_OPTIONS, type SqliteStoreOptions } from './options.ts'
import { SqliteStore } from './sqlite-store.ts'

export type { SqliteStoreOptions } from './options.ts'
export type { WriteFailure } from './write-failure.ts'

/**
 * The embedded store: one SQLite file, for one process. Writes of one event-loop turn are committed and synced
 * together before any of them is answered.
 * @throws TypeError listing every fault of the options with its path
 * @throws StoreUnavailableError when another process has the file, or it cannot be used
 * @see decisions D5, D6
 * @example
 * const store = sqliteStore({ file: 'data/store.db' })
 */
export function sqliteStore(options: SqliteStoreOptions): Store {
  const { file, cacheKib, ...parts } = SQLITE_OPTIONS.settle(options)
  return new SqliteStore(openFile(file, cacheKib), parts)
}
