import type { Instance } from '@svc/platform'
import type { Store } from '@svc/store'
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
): Promise<{ readonly calls: number; readonly documents: number }> {
  let calls = 0
  let documents = 0
  const count = (of: { readonly calls: number; readonly documents: number }): void => {
    calls += of.calls
    documents += of.documents
  }
  const days = await store.list<CallDay>(daysIndex(id, clientId), { order: 'desc', limit: 3 })
  for (const { value } of days.records) {
    if (value.until > since) Object.values(value.kinds).forEach(count)
  }
  let cursor: string | undefined
  do {
    const page = await store.list<CallRecord>(callsIndex(id, clientId), {
      order: 'desc',
      ...(cursor === undefined ? {} : { cursor }),
    })
    const recent = page.records.filter(({ value }) => value.time > since)
    for (const { value } of recent) {
      if (value.event === undefined) count({ calls: 1, documents: value.documents })
    }
    cursor = recent.length < page.records.length ? undefined : page.cursor
  } while (cursor !== undefined)
  return { calls, documents }
}
