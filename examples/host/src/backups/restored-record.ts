import type { RestoredSpaces } from '@svc/auth-ui'
import { type RecordKind, toFound, valueSchemas } from '@svc/platform'
import { type Json, type Key, type PutChange, recordKey, type Store } from '@svc/store'

const { boolean, instant, list, members, oneOf, text } = valueSchemas

/** What a store says of itself that was put back from a backup. @see operation.md 4.2 */
export interface Restored {
  /** When the backup was made, milliseconds since the epoch. */
  readonly backupAt: number
  readonly restoredAt: number
  /** Whether what owners allowed ends, too. */
  readonly revokeGrants: boolean
  /** `restored`: what is over lives yet; `ended`: the owners are to be told; `told`: nothing is left to do. */
  readonly state: 'ended' | 'restored' | 'told'
}

/** What an owner is told of it. */
export interface RestoredNotice {
  readonly backupAt: number
  readonly restoredAt: number
  /** Names of clients that are there again, and were not when it was put back. */
  readonly returned: readonly string[]
  /** Whether the mail is out. */
  readonly isMailed: boolean
  /** Whether the record of activity says it. */
  readonly isNoted?: true
}

const RESTORED_KEY = recordKey('host', 'restored', 'last')
const ID = 'notice'
/** Most names that an owner is told. */
const MOST_RETURNED = 50

/** What is kept of a backup that was put back. */
export const RESTORED_RECORDS: readonly RecordKind[] = [
  {
    kind: 'restored',
    version: 1,
    schema: members({
      backupAt: instant,
      restoredAt: instant,
      revokeGrants: boolean,
      state: oneOf('ended', 'restored', 'told'),
    }),
    tags: ['host'],
    places: { by: 'ids', ids: ['last'] },
    life: 'for good',
    export: { no: 'It is of the store, not of an instance.' },
    content:
      'of which backup the store is, when it was put back, and what is left to do after that',
  },
  {
    kind: 'restored-notice',
    version: 1,
    schema: members(
      { backupAt: instant, restoredAt: instant, returned: list(text), isMailed: boolean },
      { isNoted: boolean },
    ),
    tags: 'instance',
    places: { by: 'ids', ids: [ID] },
    life: 'until the owner takes it away',
    export: { no: 'It is about the store of this host.' },
    content: 'that the space was put back, to when, and which clients came back with it',
  },
]

export async function readRestored(store: Store): Promise<Restored | undefined> {
  return (await store.get(RESTORED_KEY))?.value as Restored | undefined // Stored below only.
}

export function putRestored(restored: Restored): PutChange {
  return { op: 'put', key: RESTORED_KEY, value: restored as unknown as Json } // Plain members.
}

/**
 * Marks a store that nobody uses as put back; its next server does what follows from that. The mark comes last, so that
 * one that was cut short is made again.
 * @param returned - names of clients by instance that are there again
 */
export async function putMark(
  store: Store,
  mark: Omit<Restored, 'state'>,
  returned: ReadonlyMap<string, readonly string[]>,
): Promise<void> {
  const { backupAt, restoredAt } = mark
  for await (const entry of store.dump()) {
    if (entry.type !== 'record') break
    const { kind, tag } = toFound(entry)
    if (kind !== 'instance') continue
    const names = returned.get(tag)?.slice(0, MOST_RETURNED) ?? []
    const notice = { backupAt, restoredAt, returned: names, isMailed: false }
    await store.write([putNotice(tag, notice)])
  }
  await store.write([putRestored({ ...mark, state: 'restored' })])
}

export async function readNotice(
  store: Store,
  instanceId: string,
): Promise<RestoredNotice | undefined> {
  const record = await store.get(noticeKey(instanceId))
  return record?.value as RestoredNotice | undefined // Stored below only.
}

export function putNotice(instanceId: string, notice: RestoredNotice): PutChange {
  return { op: 'put', key: noticeKey(instanceId), value: notice as unknown as Json } // Plain members.
}

function noticeKey(instanceId: string): Key {
  return recordKey(instanceId, 'restored-notice', ID)
}

/** For the settings: the notice stays until the owner takes it away. */
export function restoredSpaces(store: Store): RestoredSpaces {
  return {
    find: ({ id }) => readNotice(store, id),
    async forget({ id }) {
      await store.write([{ op: 'delete', key: noticeKey(id) }])
    },
  }
}
