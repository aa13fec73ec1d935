import type { Instance } from '@svc/platform'
import { type Json, type Key, recordKey, type Revision, type Store } from '@svc/store'
import { NO_PREFERENCES, type Preferences } from './preferences.ts'

export interface StoredPreferences {
  readonly preferences: Preferences
  /** Absent: nothing was chosen yet. */
  readonly revision?: Revision
}

/** The owner's choices, one record an instance. */
export interface PreferenceStore {
  read(instance: Pick<Instance, 'id'>): Promise<StoredPreferences>
  /**
   * Changes what is stored now; asks again when somebody else was faster.
   * @param change - answers the new ones, or undefined to leave everything as it is
   */
  change(
    instance: Pick<Instance, 'id'>,
    change: (current: StoredPreferences) => Preferences | undefined,
  ): Promise<StoredPreferences>
  removeAll(instance: Pick<Instance, 'id'>): Promise<void>
}

const TRIES = 20

export function createPreferenceStore(store: Store): PreferenceStore {
  async function read(instance: Pick<Instance, 'id'>): Promise<StoredPreferences> {
    const record = await store.get(keyOf(instance))
    if (record === undefined) return { preferences: NO_PREFERENCES }
    // Only this file writes the record.
    return { preferences: record.value as unknown as Preferences, revision: record.revision }
  }

  return {
    read,
    async change(instance, change) {
      for (let tries = 0; tries < TRIES; tries += 1) {
        const current = await read(instance)
        const preferences = change(current)
        if (preferences === undefined) return current
        const value = preferences as unknown as Json // Plain JSON by its type.
        const result = await store.write([
          {
            ...{ op: 'put', key: keyOf(instance), value },
            ...(current.revision === undefined
              ? { ifAbsent: true as const }
              : { ifRevision: current.revision }),
          },
        ])
        if (result.written) return { preferences, revision: result.revision }
      }
      throw new Error('the preferences change faster than they can be written')
    },
    async removeAll(instance) {
      await store.write([{ op: 'delete', key: keyOf(instance) }])
    },
  }
}

function keyOf({ id }: Pick<Instance, 'id'>): Key {
  return recordKey(id, 'notification-preferences', 'preferences')
}
