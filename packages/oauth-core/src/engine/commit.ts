import { setTimeout as delay } from 'node:timers/promises'
import { type Store, StoreUnavailableError } from '@svc/store'
import type { GrantRecord } from './records.ts'
import { changesOf, type Unit } from './unit-of-work.ts'

/** How long a write whose answer was lost is tried again, milliseconds: requests end within 3 s (security.md 106). */
const PATIENCE_MS = 600
const PAUSE_MS = 50

/**
 * Writes what an exchange changed, once. When the store's answer is lost, whether it happened is unknown (D6): it is
 * tried again, which the condition on the grant's revision makes safe, and a refusal is then compared with what
 * stands there, since it may be the first try that is in the way. Without an identifier for the write, which would
 * cost as much as the write itself (docs/decisions/0012).
 * @returns false when somebody else changed the grant meanwhile
 * @throws StoreUnavailableError when the outcome stays unknown
 */
export async function commitUnit(
  store: Store,
  clock: { now(): number },
  unit: Unit,
): Promise<boolean> {
  const changes = changesOf(unit)
  const startedAt = clock.now()
  let isRepeat = false
  for (;;) {
    try {
      const { written } = await store.write(changes)
      return written || (isRepeat && (await isDone(store, unit)))
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error
      if (clock.now() - startedAt > PATIENCE_MS) throw error
      isRepeat = true
      await delay(PAUSE_MS)
    }
  }
}

/** Whether the grant holds what this run wrote: its refresh token is of this run only. */
async function isDone(store: Store, { grant }: Unit): Promise<boolean> {
  const token = grant?.next?.value.refreshToken
  if (grant === undefined || token === undefined) return false
  const record = await store.get<GrantRecord>(grant.key)
  return record?.value.refreshToken === token
}
