import type { DatabaseSync } from 'node:sqlite'
import { WAL_BYTES } from './wal-guard.ts'

/** The version that a new file gets. A file is raised to a later one by the host. @see operation.md 5.1 */
const VERSION = 1
/** Versions that are known unless the options say otherwise. */
export const KNOWN_VERSIONS: readonly [oldest: number, newest: number] = [1, 1]

// Records keep a rowid: values of more than 1 KiB would spill to whole pages in a WITHOUT ROWID table.
const TABLES = `
CREATE TABLE records (
  rowid INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE,
  value TEXT NOT NULL,
  revision TEXT NOT NULL,
  expires_at INTEGER,
  indexes TEXT
) STRICT;
CREATE INDEX records_expiry ON records (expires_at) WHERE expires_at IS NOT NULL;
CREATE TABLE entries (
  name TEXT NOT NULL,
  sort TEXT NOT NULL,
  key TEXT NOT NULL,
  PRIMARY KEY (name, sort, key)
) STRICT, WITHOUT ROWID;
CREATE TABLE counters (
  key TEXT NOT NULL PRIMARY KEY,
  count INTEGER NOT NULL,
  resets_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX counters_end ON counters (resets_at);
CREATE TABLE answers (
  id TEXT NOT NULL PRIMARY KEY,
  answer TEXT NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX answers_expiry ON answers (expires_at);
CREATE TABLE due (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  queue TEXT NOT NULL,
  id TEXT NOT NULL,
  due_at INTEGER NOT NULL,
  next_at INTEGER NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  UNIQUE (queue, id, due_at)
) STRICT;
CREATE INDEX due_next ON due (queue, next_at);
PRAGMA user_version = ${VERSION};
`

/** The version of a file; 0: it is no store yet. */
export function readVersion(db: DatabaseSync): number {
  return Number(db.prepare('PRAGMA user_version').get()?.['user_version'])
}

/** @throws Error when the file is of a version that is not known */
export function checkVersion(
  db: DatabaseSync,
  [oldest, newest]: readonly [number, number] = KNOWN_VERSIONS,
): void {
  const version = readVersion(db)
  if (version >= oldest && version <= newest) return
  const known = oldest === newest ? String(newest) : `${oldest} to ${newest}`
  throw new Error(`its version is ${version}, this program knows ${known}`)
}

/**
 * Sets the connection up and makes the tables of a new file.
 * @param cacheKib - page cache of the connection, KiB
 * @param reads - versions of files that are known, from the oldest to the newest
 * @throws Error when the file is of another version, or no store at all
 */
export function prepareDatabase(
  db: DatabaseSync,
  cacheKib: number,
  reads: readonly [number, number] = KNOWN_VERSIONS,
): void {
  db.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    PRAGMA cache_size = -${cacheKib};
    PRAGMA journal_size_limit = ${WAL_BYTES};
    PRAGMA wal_autocheckpoint = ${Math.floor(WAL_BYTES / pageBytes(db))};
    PRAGMA temp_store = MEMORY;
    PRAGMA trusted_schema = OFF;
    PRAGMA secure_delete = FAST;
  `)
  if (readVersion(db) !== 0) return checkVersion(db, reads)
  if (db.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() !== undefined) {
    throw new Error('it holds something else')
  }
  db.exec('BEGIN IMMEDIATE')
  try {
    db.exec(TABLES)
    db.exec('COMMIT')
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK')
    throw error
  }
}

function pageBytes(db: DatabaseSync): number {
  return Number(db.prepare('PRAGMA page_size').get()?.['page_size'])
}
