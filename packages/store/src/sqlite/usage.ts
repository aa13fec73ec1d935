import type { DatabaseSync } from 'node:sqlite'
import type { KindUsage, Usage } from '../store.ts'
import { tagOf } from '../usage/counted-kinds.ts'

/** What instances keep, by kind. Synchronous; `recount` belongs into a write batch. */
export interface UsageTable {
  read(instance: string, now: number): Usage
  /** Counts what is stored anew, and keeps that. */
  recount(instance: string): void
}

const TABLE = `
CREATE TABLE usage (
  name TEXT NOT NULL PRIMARY KEY,
  bytes INTEGER NOT NULL,
  records INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`

/** Of a key `{<instance>}:<kind>:<id>`: its part up to the id, which names a row of the table. */
function nameOf(key: string): string {
  const rest = `substr(${key}, instr(${key}, '}:') + 2)`
  return `substr(${key}, 1, instr(${key}, '}:') + 1 + instr(${rest}, ':'))`
}

function kindIsOneOf(key: string, kinds: readonly string[]): string {
  const rest = `substr(${key}, instr(${key}, '}:') + 2)`
  // Kinds are letters, digits and hyphens.
  return `substr(${rest}, 1, instr(${rest}, ':') - 1) IN (${kinds.map((kind) => `'${kind}'`).join(', ')})`
}

const bytesOf = (row: string): string => `octet_length(${row}.key) + octet_length(${row}.value)`

/**
 * Keeps count of the kinds in the transaction of every change, whatever statement makes it: by triggers of this
 * connection. Records of other kinds cost them one comparison.
 * @param kinds - the kinds that count
 */
export function createUsage(db: DatabaseSync, kinds: readonly string[]): UsageTable {
  if (kinds.length === 0) {
    // What is written from here on is not counted: whoever counts again begins anew.
    db.exec('DROP TABLE IF EXISTS usage')
    return { read: () => ({}), recount: () => {} }
  }
  const isCounted = (key: string): string => kindIsOneOf(key, kinds)
  prepareTable(db, isCounted('r.key'), kinds)
  addTriggers(db, isCounted)
  const select = db.prepare('SELECT name, bytes, records FROM usage WHERE name >= ? AND name < ?')
  // What is dead and not swept yet; few rows, found by their expiry.
  const selectDead = db.prepare(`
    SELECT ${nameOf('r.key')} AS name, sum(${bytesOf('r')}) AS bytes, count(*) AS records
    FROM records r INDEXED BY records_expiry
    WHERE r.expires_at <= ? AND r.key >= ? AND r.key < ? AND ${isCounted('r.key')} GROUP BY 1`)
  const clear = db.prepare('DELETE FROM usage WHERE name >= ? AND name < ?')
  const recount = db.prepare(`
    INSERT INTO usage (name, bytes, records)
    SELECT ${nameOf('r.key')}, sum(${bytesOf('r')}), count(*) FROM records r
    WHERE r.key >= ? AND r.key < ? AND ${isCounted('r.key')} GROUP BY 1`)

  return {
    read(instance, now) {
      const [from, to] = range(instance)
      const usage = new Map<string, KindUsage>()
      const add = (row: Row, sign: 1 | -1): void => {
        const kind = kindOfName(row)
        const { bytes = 0, records = 0 } = usage.get(kind) ?? {}
        usage.set(kind, {
          records: records + sign * Number(row['records']),
          bytes: bytes + sign * Number(row['bytes']),
        })
      }
      for (const row of select.all(from, to)) add(row, 1)
      for (const row of selectDead.all(now, from, to)) add(row, -1)
      // A kind that was counted once may not be any more.
      return Object.fromEntries(
        [...usage].filter(([kind, { records }]) => records > 0 && kinds.includes(kind)),
      )
    },
    recount(instance) {
      const [from, to] = range(instance)
      clear.run(from, to)
      recount.run(from, to)
    },
  }
}

/** Keys of an instance are in `[from, to)`: `;` follows `:`. */
function range(instance: string): readonly [from: string, to: string] {
  const tag = tagOf(instance)
  return [`${tag}:`, `${tag};`]
}

type Row = Readonly<Record<string, unknown>>

function kindOfName(row: Row): string {
  const name = String(row['name'])
  return name.slice(name.indexOf('}:') + 2, -1)
}

/** A file from before this table, or from when other kinds counted, gets it with what it holds. */
function prepareTable(db: DatabaseSync, isCounted: string, kinds: readonly string[]): void {
  const counted = `#${kinds.toSorted().join(' ')}`
  const table = db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'usage'")
  const isThere = table.get() !== undefined
  if (isThere && db.prepare('SELECT 1 FROM usage WHERE name = ?').get(counted) !== undefined) return
  db.exec('BEGIN IMMEDIATE')
  try {
    db.exec(isThere ? 'DELETE FROM usage' : TABLE)
    db.exec(`
      INSERT INTO usage (name, bytes, records)
      SELECT ${nameOf('r.key')}, sum(${bytesOf('r')}), count(*) FROM records r
      WHERE ${isCounted} GROUP BY 1`)
    db.prepare('INSERT INTO usage (name, bytes, records) VALUES (?, 0, 0)').run(counted)
    db.exec('COMMIT')
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK')
    throw error
  }
}

/** Triggers of the connection alone: the file stays what its version says. */
function addTriggers(db: DatabaseSync, isCounted: (key: string) => string): void {
  const add = (row: string, bytes: string, records: number): string => `
    INSERT INTO usage (name, bytes, records) VALUES (${nameOf(`${row}.key`)}, ${bytes}, ${records})
    ON CONFLICT (name) DO UPDATE SET bytes = bytes + excluded.bytes,
      records = records + excluded.records;`
  db.exec(`
    CREATE TEMP TRIGGER usage_of_new AFTER INSERT ON main.records WHEN ${isCounted('new.key')}
    BEGIN ${add('new', bytesOf('new'), 1)} END;
    CREATE TEMP TRIGGER usage_of_changed AFTER UPDATE OF value ON main.records WHEN ${isCounted('new.key')}
    BEGIN ${add('new', 'octet_length(new.value) - octet_length(old.value)', 0)} END;
    CREATE TEMP TRIGGER usage_of_gone AFTER DELETE ON main.records WHEN ${isCounted('old.key')}
    BEGIN ${add('old', `-(${bytesOf('old')})`, -1)} END;
  `)
}
