import type { Instance } from '@svc/platform'
import type { Store } from '@svc/store'
import { type Grant, grantEntries, grantKey, type GrantRecord } from '../grant.ts'
import { endUnused, generationOf } from './rotation.ts'

/**
 * Notes that a token was used which came with the current refresh token: from now on its predecessor is good for 30 s
 * more. Written once for each refresh token, by whichever process is first.
 * @returns whether the grant is another one than before
 * @see assistants.md 3.6; decision D81
 */
export async function noteUse(
  { store, clock }: { readonly store: Store; readonly clock: { now(): number } },
  instance: Instance,
  { id, rotation: known }: Grant,
  jti: string | undefined,
): Promise<boolean> {
  const generation = generationOf(jti)
  if (known === undefined || generation === undefined) return false
  // The grant may be as a cache has it: of before the refresh that the token came with.
  const isLatest = generation === known.generation ? known.isUnused : generation > known.generation
  if (!isLatest) return false
  const key = grantKey(instance.id, id)
  for (;;) {
    const record = await store.get<GrantRecord>(key)
    const rotation = record?.value.rotation
    const isUnused = rotation?.retired.some(({ until }) => until === undefined) === true
    // Gone, rotated or noted meanwhile.
    if (record === undefined || !isUnused || rotation.generation !== generation) return true
    const retired = endUnused(rotation.retired, clock.now())
    const value = { ...record.value, rotation: { ...rotation, retired } }
    const { expiresAt, revision: ifRevision } = record
    const indexes = grantEntries(instance.id, value)
    const end = expiresAt === undefined ? {} : { expiresAt }
    const { written } = await store.write([{ op: 'put', key, value, indexes, ifRevision, ...end }])
    if (written) return true
  }
}
