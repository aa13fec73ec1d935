import { AsyncLocalStorage } from 'node:async_hooks'
import type { Change, Json, Key, Store, StoredRecord } from '@svc/store'
import type { Instance } from '../instances/instance.ts'

/**
 * What one run of the engine reads and writes. Records come in one look-up at the start where the request names
 * them; changes are collected and written together at the end, or not at all.
 */
export interface Unit {
  readonly instance: Instance
  readonly records: Map<Key, StoredRecord | undefined>
  readonly changes: Change[]
  /** The refresh token that the run made, as the client gets it. */
  refreshToken?: string
  /** The secret that takes the place of the present one, at an update that asks for it. */
  newSecret?: string
  /** What stopped the run and is not the client's fault. The engine would hide it in an answer of its own. */
  failure?: unknown
}

/** The unit of the run under way, in each asynchronous call chain. */
export interface Units {
  current(): Unit
  run<Result>(unit: Unit, work: () => Result): Result
}

export function createUnits(): Units {
  const storage = new AsyncLocalStorage<Unit>()
  return {
    current() {
      const unit = storage.getStore()
      if (unit === undefined) throw new Error('the engine was reached outside of a run')
      return unit
    },
    run: (unit, work) => storage.run(unit, work),
  }
}

/** A unit whose named records were read at one moment. */
export async function openUnit(
  store: Store,
  instance: Instance,
  keys: readonly Key[] = [],
): Promise<Unit> {
  const records = new Map<Key, StoredRecord | undefined>()
  if (keys.length > 0) {
    const found = await store.getMany(keys)
    for (const [position, key] of keys.entries()) records.set(key, found[position])
  }
  return { instance, records, changes: [] }
}

/** A record of the unit; read from the store when it was not named at the start. */
export async function readRecord<Value extends Json>(
  store: Store,
  unit: Unit,
  key: Key,
): Promise<StoredRecord<Value> | undefined> {
  if (!unit.records.has(key)) {
    try {
      unit.records.set(key, await store.get(key))
    } catch (error) {
      unit.failure = error
      throw error
    }
  }
  // The caller names the type of what is stored under this key.
  return unit.records.get(key) as StoredRecord<Value> | undefined
}
