import { AsyncLocalStorage } from 'node:async_hooks'
import type { Change, Json, Key, Store, StoredRecord } from '@svc/store'
import type { Instance } from '@svc/platform'
import type { ReadRecords } from './batched-reads.ts'
import {
  claimedGrant,
  type CodeRecord,
  grantEntries,
  grantKey,
  type GrantRecord,
} from './records.ts'

/**
 * What one run of the engine reads and writes. Records come in one look-up at the start where the request names
 * them; changes are collected and written together at the end, or not at all.
 */
export interface Unit {
  readonly instance: Instance
  readonly records: Map<Key, StoredRecord | undefined>
  readonly changes: Change[]
  /** The grant that the run works on. */
  grant?: UnitGrant
  /** The code that the run makes, before its grant is. */
  code?: CodeRecord
  /** When the grant that the run makes will end, milliseconds since the epoch. Absent: it does not by itself. */
  grantEndsAt?: number
  /** The refresh token that the run made, as the client gets it. */
  refreshToken?: string
  /** The secret that takes the place of the present one, at an update that asks for it. */
  newSecret?: string
  /** What stopped the run and is not the client's fault. The engine would hide it in an answer of its own. */
  failure?: unknown
}

/** A grant as it was read, and what becomes of it. */
export interface UnitGrant {
  readonly key: Key
  readonly record: StoredRecord<GrantRecord> | undefined
  next?: { readonly value: GrantRecord; readonly expiresAt: number }
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
  return { instance, records: new Map(), changes: [] }
}

/** Reads records into the unit, and with them the grant that a code or refresh token claims; all at one moment. */
export async function readUnit(
  read: ReadRecords,
  unit: Unit,
  keys: readonly Key[],
  token = '',
): Promise<void> {
  const grantId = claimedGrant(token)
  const key = grantId === undefined ? undefined : grantKey(unit.instance.id, grantId)
  const found = await read(unit.instance.id, key === undefined ? keys : [...keys, key])
  for (const [position, one] of keys.entries()) unit.records.set(one, found[position])
  if (key === undefined) return
  // What stands under the key of a grant is one.
  unit.grant = { key, record: found[keys.length] as StoredRecord<GrantRecord> | undefined }
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

/** All that the run changes: nothing of it happens when somebody else changed the grant meanwhile. */
export function changesOf({ instance, changes, grant }: Unit): readonly Change[] {
  if (grant?.next === undefined) return changes
  const { key, record, next } = grant
  const condition =
    record === undefined ? { ifAbsent: true as const } : { ifRevision: record.revision }
  const indexes = grantEntries(instance.id, next.value)
  return [...changes, { op: 'put', key, ...next, indexes, ...condition }]
}
