import type { AuthUiServices } from '../services.ts'
import type { Instance } from '@svc/platform'
import { profileKey } from '../owner/profile.ts'
import { indexKey, type IndexKey, recordKey } from '@svc/store'

/** Indexes that name every long-lived record of this package but the owner's. */
const INDEXES = [
  'known-devices',
  'login-places',
  'session-logins',
  'sessions',
  'trusted-devices',
] as const

/** Deletes this package's records of an instance that is removed; may be called again. */
export async function removeRecords(services: AuthUiServices, instance: Instance): Promise<void> {
  for (const name of INDEXES) await empty(services, indexKey(instance.id, name))
  await services.store.write([
    { op: 'delete', key: recordKey(instance.id, 'owner', 'owner') },
    { op: 'delete', key: profileKey(instance) },
  ])
}

async function empty(services: AuthUiServices, index: IndexKey): Promise<void> {
  let cursor: string | undefined
  do {
    const page = await services.store.list(index, cursor === undefined ? {} : { cursor })
    const changes = page.records.map(({ key }) => ({ op: 'delete' as const, key }))
    if (changes.length > 0) await services.store.write(changes)
    cursor = page.cursor
  } while (cursor !== undefined)
}
