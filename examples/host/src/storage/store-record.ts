import type { RecordKind } from '@svc/platform'
import { type Json, type Key, type PutChange, recordKey, type Store } from '@svc/store'

/** What a store says of itself. @see operation.md 5.1 */
export interface StoreRecord {
  readonly version: number
  /** Oldest version of the product that reads it. */
  readonly oldestProduct: string
  /** The product that made it, or raised it to this version. */
  readonly product: string
  /** Milliseconds since the epoch. */
  readonly raisedAt: number
  /** The engine that all of it went to: what is here is old. */
  readonly movedTo?: 'redis' | 'sqlite'
  readonly movedAt?: number
  /** Where a copy comes from that is not finished. */
  readonly copyFrom?: string
}

const TAG = 'host'
const KIND = 'store'
const ID = 'version'

export const STORE_RECORD_KEY: Key = recordKey(TAG, KIND, ID)

/** The declaration of the kind, for the registry. */
export const STORE_RECORD: RecordKind = {
  kind: KIND,
  version: 1,
  tags: [TAG],
  places: { by: 'ids', ids: [ID] },
  life: 'as long as the store',
  export: { no: 'It is of the store, not of an instance.' },
  content: 'Version of the store, which product raised it and when, and whether it was moved.',
  schema: {
    type: 'object',
    additionalProperties: false,
    required: ['version', 'oldestProduct', 'product', 'raisedAt'],
    properties: {
      version: { type: 'integer' },
      oldestProduct: { type: 'string' },
      product: { type: 'string' },
      raisedAt: { type: 'integer' },
      movedTo: { enum: ['redis', 'sqlite'] },
      movedAt: { type: 'integer' },
      copyFrom: { type: 'string' },
    },
  },
}

/** The record of a store; undefined in one that no server has opened since there are such records. */
export async function readStoreRecord(store: Store): Promise<StoreRecord | undefined> {
  return toStoreRecord((await store.get(STORE_RECORD_KEY))?.value)
}

/** A value of this kind, as a store has it. */
export function toStoreRecord(value: Json | undefined): StoreRecord | undefined {
  return value as StoreRecord | undefined // Stored under the key of this kind only.
}

/** The change that stores the record. */
export function putStoreRecord(record: StoreRecord): PutChange {
  // Plain members.
  return { op: 'put', key: STORE_RECORD_KEY, value: record as unknown as Json }
}

/** Whether a key is of what a server says of itself or of its store: no copy carries that. */
export function isOfServer(key: Key): boolean {
  return key === STORE_RECORD_KEY || key.startsWith(`{${TAG}}:process:`)
}
