import { randomBytes } from 'node:crypto'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { indexKey, recordKey } from '@svc/store'
import { COUNTED_KINDS } from '../../src/quota/counted-kinds.ts'

/** Bytes of a document, of which nothing can be left out by packing. */
const DOCUMENT_BYTES = 32 * 1024
/** Documents of one write. */
const AT_ONCE = 32
const UNITS: Readonly<Record<string, number>> = { '': 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 }

/** Reads `64MiB`. @throws TypeError when it is no size */
export function parseBytes(text: string): number {
  const [, count, unit = ''] = /^(\d+)(|KiB|MiB|GiB)$/.exec(text) ?? []
  if (count === undefined) throw new TypeError(`${text} is no size, such as 64MiB`)
  return Number(count) * (UNITS[unit] ?? 1)
}

/** Writes documents of one owner into the store of a stopped server, until its file has so many bytes. */
export async function fillStore(dataDir: string, owner: string, bytes: number): Promise<number> {
  const file = join(dataDir, 'store.db')
  const { sqliteStore } = await import('@svc/store/sqlite')
  const store = sqliteStore({ file, countedKinds: COUNTED_KINDS })
  const type = 'io.svc.files'
  let count = 0
  try {
    for (let left = bytes - statSync(file).size; left > 0; left -= AT_ONCE * DOCUMENT_BYTES) {
      await store.write(
        Array.from({ length: AT_ONCE }, () => {
          const id = `large-${count++}`
          const text = randomBytes(DOCUMENT_BYTES / 2).toString('hex')
          return {
            op: 'put' as const,
            key: recordKey(owner, 'document', `${type}/${id}`),
            value: { type, id, fields: { text } },
            indexes: [{ index: indexKey(owner, 'documents'), sort: `${type}/${id}` }],
          }
        }),
      )
    }
  } finally {
    await store.close()
  }
  return count
}
