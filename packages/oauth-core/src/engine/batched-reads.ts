import type { InstanceId } from '@svc/platform'
import type { Key, Store, StoredRecord } from '@svc/store'

/** Most keys of one look-up, a promise of the store. */
const MAX_KEYS = 100

interface Asked {
  readonly keys: readonly Key[]
  readonly resolve: (records: readonly (StoredRecord | undefined)[]) => void
  readonly reject: (error: unknown) => void
}

/**
 * Reads what the requests of one event-loop turn ask for together: requests that arrive at once go on at once, each
 * step of theirs beside the same step of the others, and the store is asked once (docs/decisions/0013).
 */
export class BatchedReads {
  readonly #store: Store
  #waiting = new Map<InstanceId, Asked[]>()

  constructor(store: Store) {
    this.#store = store
  }

  /** Records of one instance, at one moment, in the order of the keys. */
  get(
    instanceId: InstanceId,
    keys: readonly Key[],
  ): Promise<readonly (StoredRecord | undefined)[]> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.size === 0) setImmediate(() => this.#readAll())
      const ofInstance = this.#waiting.get(instanceId)
      const asked = { keys, resolve, reject }
      if (ofInstance === undefined) this.#waiting.set(instanceId, [asked])
      else ofInstance.push(asked)
    })
  }

  #readAll(): void {
    const waiting = this.#waiting
    this.#waiting = new Map()
    for (const ofInstance of waiting.values()) {
      let keys = 0
      let batch: Asked[] = []
      for (const one of ofInstance) {
        if (keys + one.keys.length > MAX_KEYS) {
          void this.#read(batch)
          keys = 0
          batch = []
        }
        keys += one.keys.length
        batch.push(one)
      }
      void this.#read(batch)
    }
  }

  async #read(batch: readonly Asked[]): Promise<void> {
    try {
      const records = await this.#store.getMany(batch.flatMap(({ keys }) => keys))
      let from = 0
      for (const { keys, resolve } of batch) {
        resolve(records.slice(from, from + keys.length))
        from += keys.length
      }
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }
}
