import type { DumpedRecord, DumpedWakeUp, DumpEntry, Key, Store, StoredRecord } from '@svc/store'
import { isOfServer } from './store-record.ts'

/** What was to be done so that two stores hold the same. */
export interface Differences {
  /** Records that both hold now, without those about to die. */
  readonly records: number
  /** Records that were missing or older. */
  readonly changed: number
  /** Records and wake-ups that the source has no more. */
  readonly deleted: number
}

export interface CompareOptions {
  /** Records that die before this instant are not counted: some die while the stores are read. */
  readonly horizon: number
  readonly progress: (entries: number) => void
}

/** Entries that are compared together. */
const AT_ONCE = 1000
/** Keys of one read, changes of one write. */
const OF_INSTANCE = 100

/**
 * Makes the target hold what the source holds; nobody else uses either.
 * @throws Error when their numbers of records differ at the end
 */
export async function compareStores(
  source: Store,
  target: Store,
  { horizon, progress }: CompareOptions,
): Promise<Differences> {
  const lasts = ({ expiresAt }: StoredRecord): boolean =>
    expiresAt === undefined || expiresAt > horizon
  const wakeUps = new Map<string, DumpedWakeUp>()
  let records = 0
  let changed = 0
  let seen = 0
  for await (const entries of inChunks(source)) {
    const ofChunk = recordsOf(entries)
    records += ofChunk.filter(lasts).length
    const there = await readAll(target, ofChunk)
    const differing = ofChunk.filter(({ key, revision }) => there.get(key)?.revision !== revision)
    changed += differing.length
    for (const entry of entries) if (entry.type === 'wake-up') wakeUps.set(nameOf(entry), entry)
    await target.load([...differing, ...entries.filter(({ type }) => type !== 'record')])
    progress((seen += entries.length))
  }

  let found = 0
  let deleted = 0
  for await (const entries of inChunks(target)) {
    const ofChunk = recordsOf(entries)
    const there = await readAll(source, ofChunk)
    const gone = ofChunk.filter(({ key }) => !there.has(key))
    found += ofChunk.filter((record) => lasts(record) && there.has(record.key)).length
    deleted += gone.length + (await cancelGone(target, entries, wakeUps))
    await deleteAll(target, gone)
    progress((seen += entries.length))
  }
  if (found !== records) {
    throw new Error(
      `The copy holds ${found} records and the source ${records}. The source is not marked as moved; ` +
        'run this again while nothing uses either store.',
    )
  }
  return { records, changed, deleted }
}

async function* inChunks(store: Store): AsyncGenerator<DumpEntry[]> {
  let chunk: DumpEntry[] = []
  for await (const entry of store.dump()) {
    chunk.push(entry)
    if (chunk.length < AT_ONCE) continue
    yield chunk
    chunk = []
  }
  yield chunk
}

function recordsOf(entries: readonly DumpEntry[]): DumpedRecord[] {
  return entries.filter(
    (entry) => entry.type === 'record' && !isOfServer(entry.key),
  ) as DumpedRecord[] // Filtered.
}

/** The parts of a list that one call may have: of one instance, and not too many. */
function* groups(records: readonly DumpedRecord[]): Generator<DumpedRecord[]> {
  const byInstance = Map.groupBy(records, ({ key }) => key.slice(0, key.indexOf('}')))
  for (const group of byInstance.values()) {
    for (let at = 0; at < group.length; at += OF_INSTANCE) yield group.slice(at, at + OF_INSTANCE)
  }
}

async function readAll(
  store: Store,
  records: readonly DumpedRecord[],
): Promise<Map<Key, StoredRecord>> {
  const reading = [...groups(records)].map((group) => store.getMany(group.map(({ key }) => key)))
  const found = (await Promise.all(reading)).flat().filter((record) => record !== undefined)
  return new Map(found.map((record) => [record.key, record]))
}

async function deleteAll(store: Store, records: readonly DumpedRecord[]): Promise<void> {
  for (const group of groups(records)) {
    await store.write(group.map(({ key }) => ({ op: 'delete', key }) as const))
  }
}

/** Cancels wake-ups that the source has no more. The port cancels all of an id: others of it are put back. */
async function cancelGone(
  target: Store,
  entries: readonly DumpEntry[],
  wakeUps: ReadonlyMap<string, DumpedWakeUp>,
): Promise<number> {
  let count = 0
  for (const entry of entries) {
    if (entry.type !== 'wake-up' || wakeUps.has(nameOf(entry))) continue
    count++
    await target.scheduler.cancel(entry.queue, entry.id)
    const kept = [...wakeUps.values()].filter(
      ({ queue, id }) => queue === entry.queue && id === entry.id,
    )
    await target.load(kept)
  }
  return count
}

function nameOf({ queue, id, dueAt }: DumpedWakeUp): string {
  return `${queue} ${dueAt} ${id}`
}
