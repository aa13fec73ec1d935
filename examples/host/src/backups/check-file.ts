import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { pipeline } from 'node:stream/promises'
import type { FaultList } from './backup-fault.ts'

/** Faults of a kind that are looked for. */
const MOST = 20

/** SHA-256 of a file, hexadecimal, and how long it is. */
export async function digestOf(
  file: string,
): Promise<{ readonly sha256: string; readonly bytes: number }> {
  const hash = createHash('sha256')
  let bytes = 0
  await pipeline(createReadStream(file, { highWaterMark: 1 << 20 }), async (chunks) => {
    for await (const chunk of chunks as AsyncIterable<Buffer>) {
      hash.update(chunk)
      bytes += chunk.length
    }
  })
  return { sha256: hash.digest('hex'), bytes }
}

/** What SQLite says of a file: undefined when nothing is wrong. */
export function integrityFault(file: string): string | undefined {
  let db: DatabaseSync | undefined
  try {
    db = new DatabaseSync(file, { readOnly: true })
    const answer = db.prepare('PRAGMA integrity_check(1)').get()?.['integrity_check']
    return answer === 'ok' ? undefined : String(answer)
  } catch (error) {
    return (error as Error).message
  } finally {
    db?.close()
  }
}

/** Whether the records of a store file are listed as they say, and nothing else is. */
export function checkIndexes(file: string, faults: FaultList): void {
  const db = new DatabaseSync(file, { readOnly: true })
  const rows = (sql: string) =>
    db
      .prepare(`${sql} LIMIT ${MOST}`)
      .all()
      .map(({ name, key }) => ({ name: String(name), key: String(key) }))
  try {
    const lost = rows(
      `SELECT e.name, e.key FROM entries e LEFT JOIN records r ON r.key = e.key WHERE r.key IS NULL`,
    )
    for (const { name, key } of lost) {
      faults.add('index_differs', `The index ${name} lists ${key}, which is not there.`)
    }
    const unlisted = rows(
      `SELECT r.key, j.value ->> 0 AS name FROM records r, json_each(r.indexes) j
       LEFT JOIN entries e ON e.key = r.key AND e.name = j.value ->> 0 AND e.sort = j.value ->> 1
       WHERE e.key IS NULL`,
    )
    for (const { name, key } of unlisted) {
      faults.add('index_differs', `The index ${name} does not list ${key}, which belongs in it.`)
    }
    if (lost.length > 0 || unlisted.length > 0 || !hasMore(db)) return
    const strange = rows(
      `SELECT e.name, e.key FROM entries e JOIN records r ON r.key = e.key
       WHERE NOT EXISTS (
         SELECT 1 FROM json_each(r.indexes) j
         WHERE j.value ->> 0 = e.name AND j.value ->> 1 = e.sort
       )`,
    )
    for (const { name, key } of strange) {
      faults.add('index_differs', `The index ${name} lists ${key}, which does not belong in it.`)
    }
  } finally {
    db.close()
  }
}

function hasMore(db: DatabaseSync): boolean {
  const listed = db.prepare('SELECT count(*) AS n FROM entries').get()?.['n']
  const said = db
    .prepare(
      'SELECT coalesce(sum(json_array_length(indexes)), 0) AS n FROM records WHERE indexes IS NOT NULL',
    )
    .get()?.['n']
  return listed !== said
}
