import type { DumpedCounter, DumpedRecord, DumpEntry } from '../store.ts'
import type { Scheduler } from '../scheduler.ts'
import { checkChanges, checkInstant, instanceTag } from './arguments.ts'
import { type PlannedChange, planChange } from './planned-change.ts'

/** Entries that are stored together: a few milliseconds of work. */
const AT_ONCE = 500

/** A record to store as it is, checked. */
export interface LoadedRecord {
  readonly change: PlannedChange
  readonly revision: string
}

/** Where an engine stores what is loaded. */
export interface LoadTarget {
  readonly now: () => number
  /** Stores records of one batch; each key is there once. */
  readonly records: (records: readonly LoadedRecord[]) => Promise<void>
  readonly counters: (counters: readonly DumpedCounter[]) => Promise<void>
  readonly scheduler: Scheduler
}

/** Stores entries in batches, one batch after the other. */
export async function loadEntries(
  entries: AsyncIterable<DumpEntry> | Iterable<DumpEntry>,
  target: LoadTarget,
): Promise<void> {
  let batch: DumpEntry[] = []
  for await (const entry of entries) {
    batch.push(entry)
    if (batch.length < AT_ONCE) continue
    await loadBatch(batch, target)
    batch = []
  }
  await loadBatch(batch, target)
}

async function loadBatch(batch: readonly DumpEntry[], target: LoadTarget): Promise<void> {
  const now = target.now()
  const records = new Map<string, LoadedRecord>()
  const counters = new Map<string, DumpedCounter>()
  const wakeUps: Promise<void>[] = []
  for (const entry of batch) {
    if (entry.type === 'record') records.set(entry.key, plan(entry, now))
    else if (entry.type === 'counter') counters.set(entry.key, checked(entry))
    else wakeUps.push(target.scheduler.at(entry.queue, entry.id, entry.dueAt))
  }
  const open = [...counters.values()].filter(({ resetsAt }) => resetsAt > now)
  await Promise.all([
    records.size > 0 && target.records([...records.values()]),
    open.length > 0 && target.counters(open),
    ...wakeUps,
  ])
}

function plan(entry: DumpedRecord, now: number): LoadedRecord {
  const { key, value, revision, expiresAt, indexes } = entry
  if (!/^[\w-]{1,64}$/.test(revision)) throw new TypeError('a revision is made by a store')
  const put = {
    op: 'put',
    key,
    value,
    indexes,
    ...(expiresAt !== undefined && { expiresAt }),
  } as const
  checkChanges([put])
  return { change: planChange(put, now), revision }
}

function checked(entry: DumpedCounter): DumpedCounter {
  instanceTag(entry.key)
  checkInstant('resetsAt', entry.resetsAt)
  if (!Number.isSafeInteger(entry.count) || entry.count < 0) {
    throw new TypeError('a count is a whole number')
  }
  return entry
}
