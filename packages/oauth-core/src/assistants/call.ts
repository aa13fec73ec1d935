import { randomBytes } from 'node:crypto'
import { type IndexEntry, type IndexKey, indexKey, type Key, recordKey } from '@svc/store'

/** What a client of a resource did with one call of a tool: neither what it looked for nor what it found. */
export interface AssistantCall {
  /** Identifier of the instance. */
  readonly instance: string
  readonly grantId: string
  readonly clientId: string
  /** Name of the tool. */
  readonly tool: string
  /** Kind of data. Absent: none, or several. */
  readonly type?: string
  /** How many documents the client read or wrote. */
  readonly documents: number
  /** Size of the answer. */
  readonly bytes: number
  /** `ok`, or the code of what the client was told instead. */
  readonly outcome: string
  /** The documents that it changed, as they are since. */
  readonly writes?: readonly DocumentWrite[]
}

/**
 * A document that an assistant changed, by the revision it has now and the one before.
 * @example
 * const write: DocumentWrite = { id: 'note-1', revision: '3-b', before: '2-a' }
 */
export interface DocumentWrite {
  readonly id: string
  /** Empty in the changes that are to be a part of the write: it is then the revision of that write. */
  readonly revision: string
  /** What it replaced or deleted; absent: nothing. */
  readonly before?: string
}

/** A call, or something about the client itself that belongs between its calls. */
export type CallRecord = {
  readonly clientId: string
  readonly grantId?: string
  /** Milliseconds since the epoch. */
  readonly time: number
  readonly tool?: string
  readonly type?: string
  readonly documents: number
  readonly bytes: number
  readonly outcome: string
  readonly writes?: readonly {
    readonly id: string
    readonly revision: string
    readonly before?: string
  }[]
  /** Of no call: what happened to the client. */
  readonly event?: 'keys_replaced'
}

/** The calls of a client on one day of the owner, once they are no longer kept one by one. */
export type CallDay = {
  readonly clientId: string
  /** As `2026-01-31`. */
  readonly day: string
  /** The first and the last of them. Milliseconds since the epoch. */
  readonly from: number
  readonly until: number
  /** By kind of data; {@link NO_KIND} and {@link OTHER_KINDS} are none. */
  readonly kinds: Readonly<Record<string, CallCounts>>
}

/**
 * What an assistant did in a time: calls, documents that it was given, bytes.
 * @see docs/assistants.md of the repository
 * @example
 * const calls = (counted: CallCounts) => Object.keys(counted).length
 */
export type CallCounts = {
  readonly calls: number
  readonly documents: number
  readonly bytes: number
  /** Of the calls: those that did not do what they were to do. */
  readonly refused: number
}

/** Where calls are counted that were about no kind, or about several. */
export const NO_KIND = '-'
/** Where calls are counted once a day has too many kinds. */
export const OTHER_KINDS = '*'
const KINDS_A_DAY = 64

/** Indexes of an instance. */
export const CALLS = 'assistant-calls'
export const DAYS = 'assistant-days'
export const CALL_KIND = 'assistant-call'
export const DAY_KIND = 'assistant-day'

const ID_BYTES = 12
let serial = 0

/** A key of its own for each call: those of one process are in the order in which they were made. */
export function newCallKey(instanceId: string): { readonly key: Key; readonly order: string } {
  serial = (serial + 1) % 1_000_000
  const order = `${String(serial).padStart(6, '0')}${randomBytes(ID_BYTES).toString('base64url')}`
  return { key: recordKey(instanceId, CALL_KIND, order), order }
}

export function dayKey(instanceId: string, clientId: string, day: string): Key {
  return recordKey(instanceId, DAY_KIND, `${clientId}:${day}`)
}

/** Calls of a client, oldest first. */
export function callsIndex(instanceId: string, clientId: string): IndexKey {
  return indexKey(instanceId, `${CALLS}:${clientId}`)
}

/** Days of a client, oldest first. */
export function daysIndex(instanceId: string, clientId: string): IndexKey {
  return indexKey(instanceId, `${DAYS}:${clientId}`)
}

export function callEntries(
  instanceId: string,
  { clientId, time }: CallRecord,
  order: string,
): readonly IndexEntry[] {
  const sort = `${String(time).padStart(15, '0')}:${order}`
  return [
    { index: indexKey(instanceId, CALLS), sort },
    { index: callsIndex(instanceId, clientId), sort },
  ]
}

export function dayEntries(
  instanceId: string,
  { clientId, day }: Pick<CallDay, 'clientId' | 'day'>,
): readonly IndexEntry[] {
  return [
    { index: indexKey(instanceId, DAYS), sort: `${day}:${clientId}` },
    { index: daysIndex(instanceId, clientId), sort: day },
  ]
}

/** The day with these calls as well. What is no call counts as none. */
export function addToDay(
  day: Pick<CallDay, 'clientId' | 'day'> & Partial<CallDay>,
  calls: readonly CallRecord[],
): CallDay {
  const kinds: Record<string, CallCounts> = { ...day.kinds }
  for (const call of calls) {
    if (call.event !== undefined) continue
    const kind = call.type ?? NO_KIND
    const isRoom = kind in kinds || Object.keys(kinds).length < KINDS_A_DAY
    const name = isRoom ? kind : OTHER_KINDS
    const before = kinds[name] ?? { calls: 0, documents: 0, bytes: 0, refused: 0 }
    kinds[name] = {
      calls: before.calls + 1,
      documents: before.documents + call.documents,
      bytes: before.bytes + call.bytes,
      refused: before.refused + (call.outcome === 'ok' ? 0 : 1),
    }
  }
  const times = calls.map(({ time }) => time)
  return {
    clientId: day.clientId,
    day: day.day,
    from: Math.min(day.from ?? Number.MAX_SAFE_INTEGER, ...times),
    until: Math.max(day.until ?? 0, ...times),
    kinds,
  }
}
