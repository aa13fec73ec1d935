import type { Instance } from '@svc/platform'
import type { IndexKey, Store, StoredRecord } from '@svc/store'
import { isClientId } from '../clients/client-record.ts'
import { type CallDay, type CallRecord, callsIndex, type DocumentWrite, daysIndex } from './call.ts'

/** One call, or something that happened to the client. Times are milliseconds since the epoch. */
export interface RecordedCall extends Omit<CallRecord, 'clientId' | 'writes'> {
  readonly id: string
  readonly writes?: readonly DocumentWrite[]
}

/** The calls of a day that are no longer kept one by one. */
export type RecordedDay = Omit<CallDay, 'clientId'>

/** What a client did, newest first: calls one by one, and days behind them. */
export interface CallPage {
  readonly calls: readonly RecordedCall[]
  readonly days: readonly RecordedDay[]
  /** Of the next page; absent on the last. */
  readonly cursor?: string
}

const PAGE = 100
const OF_CALLS = 'c'
const OF_DAYS = 'd'

type Reading = { readonly store: Pick<Store, 'list'> }

/** @throws TypeError for a cursor that is none of ours */
export async function listCalls(
  { store }: Reading,
  { id }: Pick<Instance, 'id'>,
  clientId: string,
  cursor?: string,
): Promise<CallPage> {
  // What no client can be named did nothing; a key could not be made of it either.
  if (!isClientId(clientId)) return { calls: [], days: [] }
  const isOfDays = cursor?.startsWith(OF_DAYS) === true
  if (cursor !== undefined && !isOfDays && !cursor.startsWith(OF_CALLS)) {
    throw new TypeError('malformed cursor')
  }
  const rest = cursor === undefined || cursor === OF_DAYS ? {} : { cursor: cursor.slice(1) }
  const calls: RecordedCall[] = []
  if (!isOfDays) {
    const page = await store.list<CallRecord>(callsIndex(id, clientId), {
      order: 'desc',
      limit: PAGE,
      ...rest,
    })
    for (const { key, value, revision: own } of page.records) {
      const { clientId: _, writes, ...call } = value
      calls.push({
        id: key.slice(key.lastIndexOf(':') + 1),
        ...call,
        ...(writes !== undefined && {
          // What was written together has one revision.
          writes: writes.map((write) => ({ ...write, revision: write.revision || own })),
        }),
      })
    }
    if (page.cursor !== undefined) return { calls, days: [], cursor: `${OF_CALLS}${page.cursor}` }
    if (calls.length >= PAGE) return { calls, days: [], cursor: OF_DAYS }
  }
  const page = await store.list<CallDay>(daysIndex(id, clientId), {
    order: 'desc',
    limit: PAGE - calls.length,
    ...(isOfDays ? rest : {}),
  })
  const days = page.records.map(({ value: { clientId: _, ...day } }) => day)
  const next = page.cursor === undefined ? {} : { cursor: `${OF_DAYS}${page.cursor}` }
  return { calls, days, ...next }
}

/**
 * How often a client called since then, and how many documents that were. Of days whose calls are no longer kept one by
 * one, all counts that reach into the time.
 * @param since - milliseconds since the epoch
 */
export async function countSince(
  { store }: Reading,
  { id }: Pick<Instance, 'id'>,
  clientId: string,
  since: number,
): Promise<CallCount> {
  const daysNow = () =>
    store.list<CallDay>(daysIndex(id, clientId), { order: 'desc', limit: COUNTED_DAYS })
  let { records: days } = await daysNow()
  for (let time = 1; ; time++) {
    const counted = await countCalls(store, callsIndex(id, clientId), since)
    for (const { value } of days) {
      if (value.until > since) Object.values(value.kinds).forEach((of) => add(counted, of))
    }
    const { records: after } = await daysNow()
    const isSame = JSON.stringify(after.map(revisionOf)) === JSON.stringify(days.map(revisionOf))
    // Calls that became part of a day meanwhile would be in neither.
    if (isSame || time === MOST_COUNTS) return counted
    days = after
  }
}

interface CallCount {
  calls: number
  documents: number
}

const COUNTED_DAYS = 3
const MOST_COUNTS = 5

async function countCalls(
  store: Pick<Store, 'list'>,
  index: IndexKey,
  since: number,
): Promise<CallCount> {
  const counted = { calls: 0, documents: 0 }
  let cursor: string | undefined
  do {
    const page = await store.list<CallRecord>(index, {
      order: 'desc',
      ...(cursor === undefined ? {} : { cursor }),
    })
    const recent = page.records.filter(({ value }) => value.time > since)
    for (const { value } of recent) {
      if (value.event === undefined) add(counted, { calls: 1, documents: value.documents })
    }
    cursor = recent.length < page.records.length ? undefined : page.cursor
  } while (cursor !== undefined)
  return counted
}

function add(to: CallCount, { calls, documents }: Readonly<CallCount>): void {
  to.calls += calls
  to.documents += documents
}

function revisionOf({ key, revision }: StoredRecord<CallDay>): readonly string[] {
  return [key, revision]
}
