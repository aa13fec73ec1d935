import { AsyncLocalStorage } from 'node:async_hooks'
import type { Change, Json, Key, Store, StoredRecord } from '@svc/store'
import type { Instance } from '../instances/instance.ts'
import { keyOf, type RecordKind } from './records.ts'

/**
 * What one run of the engine reads and writes. Records come in one look-up at the start where the request names
 * them; changes are collected and written together at the end, or not at all.
 */
export interface Unit {
  readonly instance: Instance
  readonly records: Map<Key, StoredRecord | undefined>
  readonly changes: Change[]
  /** Keys of the values that the run names: each is hashed once. */
  readonly keys: Map<string, Key>
  /** Records of the grant that the run makes. */
  readonly tokens: Key[]
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

export function newUnit(instance: Instance): Unit {
  return { instance, records: new Map(), changes: [], keys: new Map(), tokens: [] }
}

/** Where a value of the engine is stored. */
export function unitKey(unit: Unit, kind: RecordKind, value: string): Key {
  const name = `${kind}:${value}`
  let key = unit.keys.get(name)
  if (key === undefined) {
    key = keyOf(unit.instance.id, kind, value)
    unit.keys.set(name, key)
  }
  return key
}

/** Reads records into the unit, all at one moment. */
export async function readRecords(store: Store, unit: Unit, keys: readonly Key[]): Promise<void> {
  const found = await store.getMany(keys)
  for (const [position, key] of keys.entries()) unit.records.set(key, found[position])
}

/** A record of the unit; read from the store when it was not named at the start. */
export async function readRecord<Value extends Json>(
  store: Store,
  unit: Unit,
  key: Key,
): Promise<StoredRecord<Value> | undefined> {
  if (!unit.records.has(key)) {
    unit.records.set(key, await guarded(unit, () => store.get(key)))
  }
  // The caller names the type of what is stored under this key.
  return unit.records.get(key) as StoredRecord<Value> | undefined
}

/** Keeps what goes wrong in the store apart from what is wrong with the request. */
export async function guarded<Result>(unit: Unit, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    unit.failure = error
    throw error
  }
}
