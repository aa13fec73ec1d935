import { dayOf, type Instance } from '@svc/platform'
import type { Change, Store, StoredRecord } from '@svc/store'
import { addToDay, type CallDay, type CallRecord, callsIndex, dayEntries, dayKey } from './call.ts'

/** What becomes part of its day. */
export interface FoldRule {
  /** Calls until then. Milliseconds since the epoch. */
  readonly before: number
  /** And the oldest of more than so many. */
  readonly most: number
  /** How long a day is kept after its first call. */
  readonly keptMs: number
}

/**
 * Puts old calls of a client into the counts of their day. Each counts once, whoever else does the same: it goes in the
 * write that counts it.
 * @see assistants.md 5.8
 */
export async function foldCalls(
  store: Store,
  instance: Pick<Instance, 'id' | 'timeZone'>,
  clientId: string,
  { before, most, keptMs }: FoldRule,
): Promise<void> {
  const index = callsIndex(instance.id, clientId)
  let excess = (await countCalls(store, instance, clientId)) - most
  let cursor: string | undefined
  for (;;) {
    const page = await store.list<CallRecord>(index, cursor === undefined ? {} : { cursor })
    const { records } = page
    const isOld = ({ value }: StoredRecord<CallRecord>, at: number): boolean =>
      value.time <= before || at < excess
    const old = records.filter(isOld)
    const [first] = old
    if (first === undefined) {
      // A page without any record is not the last one yet.
      if (records.length > 0 || page.cursor === undefined) return
      cursor = page.cursor
      continue
    }
    const { name: day } = dayOf(first.value.time, instance.timeZone)
    const ofDay = old.filter(({ value }) => dayOf(value.time, instance.timeZone).name === day)
    if (await foldDay(store, instance, { clientId, day }, ofDay, keptMs)) excess -= ofDay.length
    else excess = (await countCalls(store, instance, clientId)) - most
  }
}

/** @returns false when somebody else was faster */
async function foldDay(
  store: Store,
  instance: Pick<Instance, 'id'>,
  of: Pick<CallDay, 'clientId' | 'day'>,
  calls: readonly StoredRecord<CallRecord>[],
  keptMs: number,
): Promise<boolean> {
  const key = dayKey(instance.id, of.clientId, of.day)
  const known = await store.get<CallDay>(key)
  const value = addToDay(
    known?.value ?? of,
    calls.map((call) => call.value),
  )
  const changes: Change[] = [
    {
      op: 'put',
      key,
      value,
      expiresAt: value.from + keptMs,
      indexes: dayEntries(instance.id, of),
      ...(known === undefined ? { ifAbsent: true } : { ifRevision: known.revision }),
    },
    ...calls.map((call): Change => ({ op: 'delete', key: call.key, ifPresent: true })),
  ]
  const { written } = await store.write(changes)
  return written
}

async function countCalls(
  store: Store,
  { id }: Pick<Instance, 'id'>,
  clientId: string,
): Promise<number> {
  let count = 0
  let cursor: string | undefined
  do {
    const page = await store.list(callsIndex(id, clientId), cursor === undefined ? {} : { cursor })
    count += page.records.length
    cursor = page.cursor
  } while (cursor !== undefined)
  return count
}
