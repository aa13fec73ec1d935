import type { Instance } from '@svc/platform'
import { type IndexKey, indexKey, recordKey, type Store } from '@svc/store'

/** Indexes that name every long-lived record of this package but the owner's. */
const INDEXES = [
  'known-devices',
  'login-places',
  'session-logins',
  'sessions',
  'trusted-devices',
] as const

/** Deletes this package's records of an instance that is removed; may be called again. */
export function createRemoval(store: Store): (instance: Instance) => Promise<void> {
  async function empty(index: IndexKey): Promise<void> {
    let cursor: string | undefined
    do {
      const page = await store.list(index, cursor === undefined ? {} : { cursor })
      const changes = page.records.map(({ key }) => ({ op: 'delete' as const, key }))
      if (changes.length > 0) await store.write(changes)
      cursor = page.cursor
    } while (cursor !== undefined)
  }

  return async function removeRecords(instance) {
    for (const name of INDEXES) await empty(indexKey(instance.id, name))
    await store.write([{ op: 'delete', key: recordKey(instance.id, 'owner', 'owner') }])
  }
}
