import { type Clock, systemClock } from '../clock.ts'
import { silentLog, type StoreLog } from '../log.ts'
import type { Store } from '../store.ts'
import { openFile } from './open-file.ts'
import { SqliteStore } from './sqlite-store.ts'

export interface SqliteStoreOptions {
  /** Path of the store's file, made with its directory when absent; `:memory:` for a store that dies with the object. */
  readonly file: string
  /**
   * Decides what is expired and what is due.
   * @defaultValue the machine's clock
   */
  readonly clock?: Clock
  /** @defaultValue says nothing */
  readonly log?: StoreLog
  /**
   * Page cache, KiB, 64 to 1_048_576; the operating system caches the file besides.
   * @defaultValue `4096`
   */
  readonly cacheKib?: number
}

/**
 * The embedded store: one SQLite file, for one process. Writes of one event-loop turn are committed and synced
 * together before any of them is answered.
 * @throws TypeError when an option is malformed
 * @throws StoreUnavailableError when another process has the file, or it cannot be used
 * @see decisions D5, D6
 * @example
 * const store = sqliteStore({ file: 'data/store.db' })
 */
export function sqliteStore(options: SqliteStoreOptions): Store {
  const { file, clock = systemClock, log = silentLog, cacheKib = 4096 } = options
  if (typeof file !== 'string' || file === '') throw new TypeError('options.file is a path')
  if (!Number.isInteger(cacheKib) || cacheKib < 64 || cacheKib > 1_048_576) {
    throw new TypeError('options.cacheKib is a whole number from 64 to 1048576')
  }
  return new SqliteStore(openFile(file, cacheKib), clock, log)
}
