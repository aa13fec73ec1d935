import { recordKey, type Store } from '@svc/store'

const KEY = recordKey('host', 'backup', 'verified')

/** When the last backup was verified, milliseconds since the epoch; undefined: none was. */
export async function readBackupVerified(store: Store): Promise<number | undefined> {
  return (await store.get<{ readonly at: number }>(KEY))?.value.at
}

/** To be called when a backup was verified. */
export async function noteBackupVerified(store: Store, at: number): Promise<void> {
  await store.write([{ op: 'put', key: KEY, value: { at } }])
}
