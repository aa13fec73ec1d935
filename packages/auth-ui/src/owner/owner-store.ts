import type { Instance, InstanceId } from '@svc/platform'
import { type Change, type Json, type Key, recordKey, type Revision, type Store } from '@svc/store'
import type { Owner } from './owner.ts'

/** An owner as read, with what a conditional write needs. */
export interface StoredOwner {
  readonly owner: Owner
  readonly revision: Revision
}

/** Owners, one per instance, in the instance's own key space: written together with its keys and settings. */
export interface OwnerStore {
  get(id: InstanceId): Promise<StoredOwner | undefined>
  /** The change that creates an owner. */
  create(id: InstanceId, owner: Owner): Change
  /** The change that replaces an owner, if it is still the one that was read. */
  replace(id: InstanceId, stored: StoredOwner, owner: Owner): Change
  /**
   * Reads, computes and writes until the write happened. `change` answers undefined when there is nothing to do.
   * @param also - more changes of the same write
   * @returns what was written, or undefined
   */
  update(
    id: InstanceId,
    change: (owner: Owner) => Owner | undefined,
    also?: readonly Change[],
  ): Promise<Owner | undefined>
}

/** The record is `owner` of the instance. */
export function createOwnerStore(store: Store): OwnerStore {
  async function get(id: InstanceId): Promise<StoredOwner | undefined> {
    const record = await store.get(keyOf(id))
    if (record === undefined) return undefined
    // Only this file writes these records.
    return { owner: record.value as unknown as Owner, revision: record.revision }
  }

  function replace(id: InstanceId, stored: StoredOwner, owner: Owner): Change {
    return { op: 'put', key: keyOf(id), value: toJson(owner), ifRevision: stored.revision }
  }

  async function update(
    id: InstanceId,
    change: (owner: Owner) => Owner | undefined,
    also: readonly Change[] = [],
  ): Promise<Owner | undefined> {
    for (;;) {
      const stored = await get(id)
      if (stored === undefined) return undefined
      const owner = change(stored.owner)
      if (owner === undefined) return undefined
      const result = await store.write([replace(id, stored, owner), ...also])
      if (result.written) return owner
    }
  }

  return {
    get,
    create: (id, owner) => ({ op: 'put', key: keyOf(id), value: toJson(owner), ifAbsent: true }),
    replace,
    update,
  }
}

function keyOf(id: InstanceId): Key {
  return recordKey(id, 'owner', 'owner')
}

/** Interfaces have no index signature, so the compiler cannot see that an owner is plain JSON. */
function toJson(owner: Owner): Json {
  return owner as unknown as Json
}

/** The owner of an instance, or undefined while nobody has onboarded it. @see login.md 4.8 */
export async function onboardedOwner(
  { owners }: { readonly owners: Pick<OwnerStore, 'get'> },
  instance: Instance,
): Promise<Owner | undefined> {
  const owner = (await owners.get(instance.id))?.owner
  return owner?.onboardedAt === undefined ? undefined : owner
}
