import type { Instance } from '@svc/platform'
import type { Change, Store } from '@svc/store'
import type { Lifetimes } from '../lifetimes.ts'
import { grantEntries, grantKey, type GrantRecord, notAfterEnd } from './grant.ts'

/** What changes grants that live. */
export interface GrantChangeServices {
  readonly store: Store
  readonly clock: { now(): number }
  readonly lifetimes: Lifetimes
}

/**
 * Changes a live grant, again when another writer came first; the rule answers the grant itself to leave it.
 * @param also - what has to be written together with it, asked at each try
 * @returns what stands there now; undefined when the grant is gone
 */
export async function changeGrant(
  { store, clock, lifetimes }: GrantChangeServices,
  instance: Instance,
  id: string,
  rule: (grant: GrantRecord) => GrantRecord,
  also: (before: GrantRecord, after: GrantRecord) => readonly Change[] = () => [],
): Promise<{ readonly grant: GrantRecord; readonly isChanged: boolean } | undefined> {
  const key = grantKey(instance.id, id)
  for (;;) {
    const record = await store.get<GrantRecord>(key)
    if (record === undefined) return undefined
    const value = rule(record.value)
    if (value === record.value) return { grant: value, isChanged: false }
    const longest = clock.now() + lifetimes.refreshTokenMs + lifetimes.accessTokenMs
    const { expiresAt = longest } = record
    const { written } = await store.write([
      {
        op: 'put',
        key,
        value,
        expiresAt: lifeOf(value, record.value.endsAt === value.endsAt ? expiresAt : longest),
        indexes: grantEntries(instance.id, value),
        ifRevision: record.revision,
      },
      ...also(record.value, value),
    ])
    if (written) return { grant: value, isChanged: true }
  }
}

/** A code that was not exchanged yet takes its grant along when it ends, whatever was chosen. */
function lifeOf(grant: GrantRecord, expiresAt: number): number {
  return notAfterEnd(grant, grant.refreshToken === undefined ? grant.code.expiresAt : expiresAt)
}
