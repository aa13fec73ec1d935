import { setImmediate } from 'node:timers/promises'
import type { Clock } from '../clock.ts'
import { parseStored } from '../parse-stored.ts'
import type { DumpEntry, DumpSelection, Key, Revision } from '../store.ts'
import { indexEntries } from './records.ts'
import { checkVersion } from './schema.ts'
import { isWakeUpOf } from '../wake-up-of.ts'
import { unavailable } from './write-batch.ts'
import { DatabaseSync } from './engine.ts'

/** Entries between two turns of the event loop. */
const AT_ONCE = 200

/**
 * What a store file holds, read in one transaction of a read-only connection of its own: another process may have the
 * file and go on writing.
 * @throws StoreUnavailableError when it cannot be read
 */
export async function* dumpFile(
  path: string,
  clock: Clock,
  reads?: readonly [number, number],
  selection?: DumpSelection,
): AsyncGenerator<DumpEntry> {
  const db = open(path, reads)
  try {
    yield* dumpDatabase(db, clock.now(), selection)
  } catch (error) {
    throw unavailable(error)
  } finally {
    db.close()
  }
}

/** As {@link dumpFile}, of a database that has no file: all of it is read before the first entry. */
export async function* dumpMemory(
  db: DatabaseSync,
  clock: Clock,
  selection?: DumpSelection,
): AsyncGenerator<DumpEntry> {
  const entries = [...readAll(db, clock.now(), selection)]
  yield* entries
}

function open(path: string, reads: readonly [number, number] | undefined): DatabaseSync {
  let db: DatabaseSync | undefined
  try {
    db = new DatabaseSync(path, { readOnly: true, timeout: 2000 })
    checkVersion(db, reads)
    return db
  } catch (error) {
    db?.close()
    throw unavailable(error)
  }
}

async function* dumpDatabase(
  db: DatabaseSync,
  now: number,
  selection: DumpSelection | undefined,
): AsyncGenerator<DumpEntry> {
  db.exec('BEGIN')
  try {
    let count = 0
    for (const entry of readAll(db, now, selection)) {
      yield entry
      count++
      // A consumer that waits for nothing would keep everything else from running.
      if (count % AT_ONCE === 0) await setImmediate()
    }
  } finally {
    db.exec('ROLLBACK')
  }
}

type RecordRow = [string, string, string, number | null, string | null]
type Rows = (sql: string, ...values: (number | string)[]) => Iterable<unknown>

function* readAll(
  db: DatabaseSync,
  now: number,
  selection: DumpSelection | undefined,
): Generator<DumpEntry> {
  const rows: Rows = (sql, ...values) => {
    const statement = db.prepare(sql)
    statement.setReturnArrays(true)
    return statement.iterate(...values)
  }
  if (selection?.records !== false) yield* readRecords(rows, now, selection?.instance)
  if (selection === undefined) yield* readCounters(rows, now)
  yield* readWakeUps(rows, selection)
}

function* readRecords(rows: Rows, now: number, instance?: string): Generator<DumpEntry> {
  const columns = 'SELECT key, value, revision, expires_at, indexes FROM records'
  const isLive = '(expires_at IS NULL OR expires_at > ?)'
  // Keys of an instance begin with `{<instance>}:`, and `;` comes after `:`.
  const records =
    instance === undefined
      ? rows(`${columns} WHERE ${isLive} ORDER BY key`, now)
      : rows(
          `${columns} WHERE key >= ? AND key < ? AND ${isLive} ORDER BY key`,
          `{${instance}}:`,
          `{${instance}};`,
          now,
        )
  for (const row of records) {
    const [key, text, revision, expiresAt, indexes] = row as RecordRow // As selected.
    yield {
      type: 'record',
      key: key as Key, // Stored from a Key.
      value: parseStored(text),
      revision: revision as Revision, // Stored from a Revision.
      ...(expiresAt !== null && { expiresAt }),
      indexes: indexEntries(indexes),
    }
  }
}

function* readCounters(rows: Rows, now: number): Generator<DumpEntry> {
  for (const row of rows('SELECT key, count, resets_at FROM counters WHERE resets_at > ?', now)) {
    const [key, count, resetsAt] = row as [string, number, number] // As selected.
    yield { type: 'counter', key: key as Key, count, resetsAt } // Stored from a Key.
  }
}

function* readWakeUps(rows: Rows, selection: DumpSelection | undefined): Generator<DumpEntry> {
  for (const row of rows('SELECT queue, id, due_at FROM due ORDER BY seq')) {
    const [queue, id, dueAt] = row as [string, string, number] // As selected.
    if (selection !== undefined && !selection.queues.includes(queue)) continue
    if (selection !== undefined && !isWakeUpOf(selection.instance, id)) continue
    yield { type: 'wake-up', queue, id, dueAt }
  }
}
