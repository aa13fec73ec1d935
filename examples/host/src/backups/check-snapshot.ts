import type { RecordRegistry } from '@svc/platform'
import type { Clock, Store } from '@svc/store'
import { checkStored, KNOWN_VERSIONS } from '../storage/store-version.ts'
import type { FaultList } from './backup-fault.ts'
import { type Inventory, type Look, takeInventory } from './inventory.ts'
import { withSnapshot } from './redis-snapshot.ts'

/** Records of these kinds never expire: an index that lists one that is gone has lost it. */
const LASTING =
  /^\{[^}]+\}:(?:account|account-type|document|installed-app|installed-konnector|instance):/
const ANSWER_MS = 30_000

/** Works with the store that a snapshot of Redis holds. */
export function withSnapshotStore<Result>(
  file: string,
  clock: Clock,
  work: (store: Store, url: string) => Promise<Result>,
): Promise<Result> {
  return withSnapshot(file, async (url) => {
    const { redisStore } = await import('@svc/store/redis')
    const store = redisStore({ url, clock, commandTimeoutMs: ANSWER_MS })
    try {
      return await work(store, url)
    } finally {
      await store.close()
    }
  })
}

/** Looks through a snapshot of Redis, and holds its indexes against the records. */
export function checkSnapshot(
  file: string,
  clock: Clock,
  { registry, look, faults }: { registry: RecordRegistry; look: Look; faults: FaultList },
): Promise<Inventory> {
  return withSnapshotStore(file, clock, async (store, url) => {
    await checkStored(store, KNOWN_VERSIONS)
    // Before the records are read by lists, which drop what does not belong there.
    const { checkRedisIndexes } = await import('@svc/store/redis')
    for await (const { what, index, key } of checkRedisIndexes(url)) {
      if (what === 'unlisted') {
        faults.add('index_differs', `The index ${index} does not list ${key}, which belongs in it.`)
      } else if (what === 'strange') {
        faults.add('index_differs', `The index ${index} lists ${key}, which does not belong in it.`)
      } else if (LASTING.test(key)) {
        faults.add('index_differs', `The index ${index} lists ${key}, which is not there.`)
      }
    }
    return takeInventory(store.dump(), registry, look)
  })
}
