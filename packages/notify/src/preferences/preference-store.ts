import type { Instance } from '@svc/platform'
import { type Change, type Json, type Key, recordKey, type Revision } from '@svc/store'
import type { NotifyServices } from '../services.ts'
import { NO_PREFERENCES, type Preferences } from './preferences.ts'

/** The owner's choices as they are stored: one record an instance. */
export interface StoredPreferences {
  readonly preferences: Preferences
  /** Absent: nothing was chosen yet. */
  readonly revision?: Revision
}

type StoreServices = Pick<NotifyServices, 'store'>

const TRIES = 20

export async function readPreferences(
  { store }: StoreServices,
  instance: Pick<Instance, 'id'>,
): Promise<StoredPreferences> {
  const record = await store.get(keyOf(instance))
  if (record === undefined) return { preferences: NO_PREFERENCES }
  // Only this file writes the record.
  return { preferences: record.value as unknown as Preferences, revision: record.revision }
}

/**
 * Changes what is stored now; retries when another writer was faster.
 * @param change - answers the new ones, or undefined to leave everything as it is
 * @param also - more changes of the same write
 */
export async function changePreferences(
  services: StoreServices,
  instance: Pick<Instance, 'id'>,
  change: (current: StoredPreferences) => Preferences | undefined,
  also: readonly Change[] = [],
): Promise<StoredPreferences> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const current = await readPreferences(services, instance)
    const preferences = change(current)
    if (preferences === undefined) return current
    const value = preferences as unknown as Json // Plain JSON by its type.
    const condition =
      current.revision === undefined
        ? { ifAbsent: true as const }
        : { ifRevision: current.revision }
    const result = await services.store.write([
      { op: 'put', key: keyOf(instance), value, ...condition },
      ...also,
    ])
    if (result.written) return { preferences, revision: result.revision }
  }
  throw new Error('the preferences change faster than they can be written')
}

export async function removePreferences(
  { store }: StoreServices,
  instance: Pick<Instance, 'id'>,
): Promise<void> {
  await store.write([{ op: 'delete', key: keyOf(instance) }])
}

function keyOf({ id }: Pick<Instance, 'id'>): Key {
  return recordKey(id, 'notification-preferences', 'preferences')
}
