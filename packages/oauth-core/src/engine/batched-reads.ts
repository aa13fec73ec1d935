import type { Key, Store, StoredRecord } from '@svc/store'
import type { InstanceId } from '@svc/platform'

/** Most keys of one look-up, a promise of the store. */
const MAX_KEYS = 100

/** Reads records of one instance, at one moment, in the order of the keys. */
export type ReadRecords = (
  instanceId: InstanceId,
  keys: readonly Key[],
) => Promise<readonly (StoredRecord | undefined)[]>

interface Asked {
  readonly keys: readonly Key[]
  readonly resolve: (records: readonly (StoredRecord | undefined)[]) => void
  readonly reject: (error: unknown) => void
}

/**
 * Reads what the requests of one event-loop turn ask for together: requests that arrive at once go on at once, each
 * step of theirs beside the same step of the others, and the store is asked once (docs/decisions/0013).
 */
export function createGatheredReads(store: Store): ReadRecords {
  let waiting = new Map<InstanceId, Asked[]>()

  function turn(): void {
    const asked = waiting
    waiting = new Map()
    for (const of of asked.values()) {
      let keys = 0
      let group: Asked[] = []
      for (const one of of) {
        if (keys + one.keys.length > MAX_KEYS) {
          void readGroup(group)
          keys = 0
          group = []
        }
        keys += one.keys.length
        group.push(one)
      }
      void readGroup(group)
    }
  }

  async function readGroup(group: readonly Asked[]): Promise<void> {
    try {
      const records = await store.getMany(group.flatMap(({ keys }) => keys))
      let from = 0
      for (const { keys, resolve } of group) {
        resolve(records.slice(from, from + keys.length))
        from += keys.length
      }
    } catch (error) {
      for (const { reject } of group) reject(error)
    }
  }

  return (instanceId, keys) =>
    new Promise((resolve, reject) => {
      if (waiting.size === 0) setImmediate(turn)
      const of = waiting.get(instanceId)
      const asked = { keys, resolve, reject }
      if (of === undefined) waiting.set(instanceId, [asked])
      else of.push(asked)
    })
}
