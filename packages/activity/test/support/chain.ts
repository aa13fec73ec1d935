import { type Store } from '@svc/store'
import type { Entry } from '../../src/chain/entry.ts'
import { ENTRIES, index, PENDING } from '../../src/chain/keys.ts'

/** All entries of an instance, oldest first. */
export async function entriesOf(store: Store, instanceId: string): Promise<readonly Entry[]> {
  const entries: Entry[] = []
  let cursor: string | undefined
  do {
    const page = await store.list<Entry>(
      index(instanceId, ENTRIES),
      cursor === undefined ? {} : { cursor },
    )
    entries.push(...page.records.map(({ value }) => value))
    cursor = page.cursor
  } while (cursor !== undefined)
  return entries
}

/** How many events wait for their place. */
export async function countPending(store: Store, instanceId: string): Promise<number> {
  const { records } = await store.list(index(instanceId, PENDING))
  return records.length
}
