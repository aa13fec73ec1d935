import { MINUTE_MS, type RecordKind, SECOND_MS, toFound } from '@svc/platform'
import { type Change, indexKey, type Json, recordKey, type Store } from '@svc/store'

/** What a process says of itself while it runs. @see operation.md 0.3 */
export interface ProcessRecord {
  /** Random: another one each start. */
  readonly id: string
  /** Of the product. */
  readonly version: string
  /** Oldest and newest version of the store that it reads. */
  readonly reads: readonly [min: number, max: number]
  /** The version of the store that it writes. */
  readonly writes: number
  /** Names of its sealing keys; the first seals. */
  readonly kids: readonly string[]
  readonly hostname: string
  /** The system's id, on that host. */
  readonly pid: number
  /** Milliseconds since the epoch, as `seenAt`. */
  readonly startedAt: number
  /** When it last wrote this. */
  readonly seenAt: number
  /** Of the public listener. */
  readonly port: number
  readonly state: 'up' | 'draining'
  /** Equal in processes with the same options, whatever their secrets. */
  readonly configDigest: string
  /** Digests of the options that are not at their default, by the names of their variables. */
  readonly options: Readonly<Record<string, string>>
}

/** Between two writes of a process's record. */
export const RECORD_EVERY_MS: number = 20 * SECOND_MS
/** A process that did not write for so long is taken for dead. */
export const RECORD_LIFE_MS: number = MINUTE_MS

const TAG = 'host'
const KIND = 'process'
const INDEX_NAME = 'processes'
const INDEX = indexKey(TAG, INDEX_NAME)

/** The declaration of the kind, for the registry. */
export const PROCESS_RECORD: RecordKind = {
  kind: KIND,
  version: 1,
  tags: [TAG],
  places: { by: 'index', index: INDEX_NAME },
  life: '60 seconds after its last write; a process writes it every 20 seconds and removes it when it stops',
  export: { no: 'It is of a process, not of an instance.' },
  content: 'What a process of the server says of itself while it runs.',
  schema: {
    type: 'object',
    additionalProperties: false,
    required: [
      'version',
      'reads',
      'writes',
      'kids',
      'hostname',
      'pid',
      'startedAt',
      'seenAt',
      'port',
      'state',
      'configDigest',
      'options',
    ],
    properties: {
      version: { type: 'string' },
      reads: { type: 'array', items: { type: 'integer' }, minItems: 2, maxItems: 2 },
      writes: { type: 'integer' },
      kids: { type: 'array', items: { type: 'string' } },
      hostname: { type: 'string' },
      pid: { type: 'integer' },
      startedAt: { type: 'integer' },
      seenAt: { type: 'integer' },
      port: { type: 'integer' },
      state: { enum: ['up', 'draining'] },
      configDigest: { type: 'string' },
      options: { type: 'object', additionalProperties: { type: 'string' } },
    },
  },
}

/** The write that keeps a process's record alive. */
export function putProcess({ id, ...value }: ProcessRecord): Change {
  return {
    op: 'put',
    key: recordKey(TAG, KIND, id),
    value: value as unknown as Json, // plain members
    expiresAt: value.seenAt + RECORD_LIFE_MS,
    indexes: [{ index: INDEX, sort: new Date(value.startedAt).toISOString() }],
  }
}

/** The write after which nobody hears of a process any more. */
export function deleteProcess(id: string): Change {
  return { op: 'delete', key: recordKey(TAG, KIND, id) }
}

/** All processes that use the store now, those that drain included; the oldest first. */
export async function listProcesses(store: Store): Promise<readonly ProcessRecord[]> {
  const found: ProcessRecord[] = []
  let cursor: string | undefined
  do {
    const page = await store.list(INDEX, cursor === undefined ? {} : { cursor })
    for (const record of page.records) {
      const value = record.value as unknown as Omit<ProcessRecord, 'id'> // of this kind only
      found.push({ ...value, id: toFound(record).id })
    }
    cursor = page.cursor
  } while (cursor !== undefined)
  return found
}
