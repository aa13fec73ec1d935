// Compiled, never run: what the log of the stores takes, and what it refuses.
import type { StoreLog } from '@svc/store'
import type { StoreEventLog } from '../../src/log/store-log.ts'

export function checkStoreLog(log: StoreEventLog, given: StoreLog): StoreEventLog {
  log.warn({ event: 'store.redis_back' }, 'Redis is back')
  log.error({ event: 'store.sweep_failed', cause: 'disk' }, 'the sweep failed')
  // @ts-expect-error no such event
  log.warn({ event: 'store.tired' }, 'the store is tired')
  // @ts-expect-error an event has one level
  log.error({ event: 'store.redis_back' }, 'Redis is back')
  // @ts-expect-error a field is missing
  log.error({ event: 'store.sweep_failed' }, 'the sweep failed')
  // @ts-expect-error no such field
  log.warn({ event: 'store.redis_back', after: 3 }, 'Redis is back')
  return given
}
