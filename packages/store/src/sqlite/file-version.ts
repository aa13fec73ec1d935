import { existsSync } from 'node:fs'
import type { Json } from '../json.ts'
import { parseStored } from '../parse-stored.ts'
import type { Key } from '../store.ts'
import { readVersion } from './schema.ts'
import { unavailable } from './write-batch.ts'
import { DatabaseSync } from './engine.ts'

/** What a store file says of itself. */
export interface FileVersion {
  readonly version: number
  /** The value of the record asked for, where there is one. */
  readonly record?: Json
}

/**
 * Reads a store file of any version, also while a server has it: its version, and a record that says more of it.
 * @returns undefined when there is no store
 * @throws StoreUnavailableError when it cannot be read
 */
export function readFileVersion(file: string, key: Key): FileVersion | undefined {
  if (!existsSync(file)) return undefined
  let db: DatabaseSync | undefined
  try {
    db = new DatabaseSync(file, { readOnly: true, timeout: 2000 })
    const version = readVersion(db)
    if (version === 0) return undefined
    const record = readRecord(db, key)
    return record === undefined ? { version } : { version, record }
  } catch (error) {
    throw unavailable(error)
  } finally {
    db?.close()
  }
}

/** A later version may keep its records elsewhere. */
function readRecord(db: DatabaseSync, key: Key): Json | undefined {
  const columns =
    "SELECT count(*) AS n FROM pragma_table_info('records') WHERE name IN ('key', 'value')"
  if (db.prepare(columns).get()?.['n'] !== 2) return undefined
  const text = db.prepare('SELECT value FROM records WHERE key = ?').get(key)?.['value']
  return typeof text === 'string' ? parseStored(text) : undefined
}
