import type { Change, Store } from '@svc/store'
import { findRecords } from './find-records.ts'
import type { RecordRegistry } from './record-registry.ts'

/** A write takes 128 changes. */
const BATCH = 100

/**
 * Deletes every record of an instance that the registry finds, so that no kind can be forgotten.
 * @param isKept - names of kinds that stay
 */
export async function removeRecords(
  registry: RecordRegistry,
  store: Store,
  instanceId: string,
  isKept: (kind: string) => boolean,
): Promise<void> {
  // What is found by another record goes before it.
  for (const { kind } of registry.ofInstances().toReversed()) {
    if (isKept(kind)) continue
    const deletions: Change[] = []
    for await (const { key } of findRecords(
      registry,
      store,
      instanceId,
      (one) => one.kind === kind,
    )) {
      deletions.push({ op: 'delete', key })
    }
    for (let at = 0; at < deletions.length; at += BATCH) {
      await store.write(deletions.slice(at, at + BATCH))
    }
  }
}
