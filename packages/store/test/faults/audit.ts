import type { Store } from '../../src/index.ts'
import type { Ledger } from './ledger.ts'
import { streamCounter, streamIndex, streamKey } from './stream.ts'

/** Compares a store with what was acknowledged; answers the faults found. */
export async function audit(store: Store, round: string, ledger: Ledger): Promise<string[]> {
  const there = new Set<string>()
  const ids = ledger.ids()
  for (let start = 0; start < ids.length; start += 100) {
    const some = ids.slice(start, start + 100)
    const records = await store.getMany(some.map(streamKey))
    for (const [position, id] of some.entries()) {
      if (records[position] !== undefined) there.add(id)
    }
  }
  const { count } = await store.hit(streamCounter(round), 1000, 0)
  const faults = ledger.audit((id) => there.has(id), count)
  const listed = await listAll(store, round)
  for (const id of ids) {
    if (id.endsWith('-b') && there.has(id) !== listed.has(id))
      faults.push(`${id} is listed wrongly`)
  }
  return faults
}

async function listAll(store: Store, round: string): Promise<Set<string>> {
  const listed = new Set<string>()
  let cursor: string | undefined
  do {
    const page = await store.list(streamIndex(round), cursor === undefined ? {} : { cursor })
    for (const { key } of page.records) listed.add(key.slice(key.lastIndexOf(':') + 1))
    cursor = page.cursor
  } while (cursor !== undefined)
  return listed
}
