import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import type { Instance, InstanceId } from '@svc/platform'
import {
  type Change,
  type Json,
  type Key,
  type Store,
  type StoredRecord,
  StoreUnavailableError,
} from '@svc/store'
import type { Presented } from './rotation/rotation.ts'
import { claimedGrant, type CodeRecord, grantEntries, grantKey, type GrantRecord } from './grant.ts'

/**
 * What one run of the engine reads and writes. Records come in one look-up at the start where the request names
 * them; changes are collected and written together at the end, or not at all.
 */
export interface UnitOfWork {
  readonly instance: Instance
  readonly records: Map<Key, StoredRecord | undefined>
  readonly changes: Change[]
  /** The grant that the run works on. */
  grant?: UnitGrant
  /** The code that the run makes, before its grant is. */
  code?: CodeRecord
  /** When the grant that the run makes will end, milliseconds since the epoch. Absent: it does not by itself. */
  grantEndsAt?: number
  /** Path of the resource that the grant is for. Absent: the interface itself. */
  grantResource?: string
  /** The run's client is described by a document, and showed no key. */
  isKeyless?: true
  /** Of a code whose client has no secret: the refresh token that it is exchanged for. */
  firstToken?: string
  /** What the presented refresh token is to its grant, when those of the grant rotate. */
  presented?: Presented
  /** Of the rotating refresh token that the client gets. */
  generation?: number
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

const underWay = new AsyncLocalStorage<UnitOfWork>()

/** The unit of work of the run under way, in each asynchronous call chain. */
export function currentUnit(): UnitOfWork {
  const unit = underWay.getStore()
  if (unit === undefined) throw new Error('the engine was reached outside of a run')
  return unit
}

export function runUnit<Result>(unit: UnitOfWork, work: () => Result): Result {
  return underWay.run(unit, work)
}

export function newUnit(instance: Instance): UnitOfWork {
  return { instance, records: new Map(), changes: [] }
}

/** Reads records into the unit, and with them the grant that a code or refresh token claims; all at one moment. */
export async function readUnit(
  reads: BatchedReads,
  unit: UnitOfWork,
  keys: readonly Key[],
  token = '',
): Promise<void> {
  const grantId = claimedGrant(token)
  const key = grantId === undefined ? undefined : grantKey(unit.instance.id, grantId)
  const found = await reads.get(unit.instance.id, key === undefined ? keys : [...keys, key])
  for (const [position, one] of keys.entries()) unit.records.set(one, found[position])
  if (key === undefined) return
  // What stands under the key of a grant is one.
  unit.grant = { key, record: found[keys.length] as StoredRecord<GrantRecord> | undefined }
}

/** A record of the unit of work; read from the store when it was not named at the start. */
export async function readRecord<Value extends Json>(
  store: Store,
  unit: UnitOfWork,
  key: Key,
): Promise<StoredRecord<Value> | undefined> {
  if (!unit.records.has(key)) {
    unit.records.set(key, await guarded(unit, () => store.get(key)))
  }
  // The caller names the type of what is stored under this key.
  return unit.records.get(key) as StoredRecord<Value> | undefined
}

/** Keeps what goes wrong in the store apart from what is wrong with the request. */
export async function guarded<Result>(
  unit: UnitOfWork,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    unit.failure = error
    throw error
  }
}

/** All that the run changes: nothing of it happens when somebody else changed the grant meanwhile. */
export function changesOf({ instance, changes, grant }: UnitOfWork): readonly Change[] {
  if (grant?.next === undefined) return changes
  const { key, record, next } = grant
  const condition =
    record === undefined ? { ifAbsent: true as const } : { ifRevision: record.revision }
  const indexes = grantEntries(instance.id, next.value)
  return [...changes, { op: 'put', key, ...next, indexes, ...condition }]
}

/** How long a write whose answer was lost is tried again, milliseconds: requests end within 3 s (security.md 106). */
const PATIENCE_MS = 600
const PAUSE_MS = 50

interface WriteServices {
  readonly store: Store
  readonly clock: { now(): number }
}

/**
 * Writes what an exchange changed, once: the condition on the grant's revision makes a repeat safe, and a refusal of one
 * is compared with what stands there, since it may be the first try that is in the way.
 * @returns false when somebody else changed the grant meanwhile
 * @throws StoreUnavailableError when the outcome stays unknown
 */
export function commitUnit(services: WriteServices, unit: UnitOfWork): Promise<boolean> {
  return writeOnce(services, changesOf(unit), () => isDone(services.store, unit))
}

/**
 * Writes changes whose conditions let only one try happen. When the store's answer is lost, whether it happened is unknown
 * (D6): it is tried again. Without an identifier for the write, which would cost as much as the write itself
 * (docs/decisions/0012).
 * @param isOurs - whether a repeat was refused since an earlier try had happened
 * @returns false when somebody else came first
 * @throws StoreUnavailableError when the outcome stays unknown
 */
export async function writeOnce(
  { store, clock }: WriteServices,
  changes: readonly Change[],
  isOurs: (failed: Key) => Promise<boolean> | boolean,
): Promise<boolean> {
  const startedAt = clock.now()
  let isRepeat = false
  for (;;) {
    try {
      const result = await store.write(changes)
      return result.written || (isRepeat && (await isOurs(result.failed)))
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error
      if (clock.now() - startedAt > PATIENCE_MS) throw error
      isRepeat = true
      await delay(PAUSE_MS)
    }
  }
}

/** Whether the grant holds what this run wrote: its refresh token is of this run only. */
async function isDone(store: Store, { grant }: UnitOfWork): Promise<boolean> {
  const token = grant?.next?.value.refreshToken
  if (grant === undefined || token === undefined) return false
  const record = await store.get<GrantRecord>(grant.key)
  return record?.value.refreshToken === token
}

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
