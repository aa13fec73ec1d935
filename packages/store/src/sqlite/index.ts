import '../entry/node-version.ts'
import type { Clock } from '../clock.ts'
import { systemClock } from '../clock.ts'
import type { DumpEntry } from '../store.ts'
import { dumpFile } from './dump-file.ts'
import type { EmbeddedStore } from './embedded-store.ts'
import { openFile } from './open-file.ts'
import { SQLITE_OPTIONS, type SqliteStoreOptions } from './options.ts'
import { SqliteStore } from './sqlite-store.ts'

export type { EmbeddedStore } from './embedded-store.ts'
export { type FileVersion, readFileVersion } from './file-version.ts'
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
export function sqliteStore(options: SqliteStoreOptions): EmbeddedStore {
  const { file, cacheKib, ...parts } = SQLITE_OPTIONS.settle(options)
  const place = file === ':memory:' ? 'in memory' : file
  return new SqliteStore(openFile(file, cacheKib, parts.reads), { ...parts, place })
}

/**
 * What a store file holds, as `dump()` of the store gives it, read at one moment: also while a server has the file.
 * @throws StoreUnavailableError when it cannot be read
 */
export function dumpSqliteFile(options: {
  readonly file: string
  readonly clock?: Clock
  readonly reads?: readonly [oldest: number, newest: number]
}): AsyncIterable<DumpEntry> {
  return dumpFile(options.file, options.clock ?? systemClock, options.reads)
}
