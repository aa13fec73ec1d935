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

/** What the target held when it was read: some 200 bytes of memory for each record. */
interface Held {
  /** Those that the source does not have are left over. */
  readonly revisions: Map<Key, string>
  readonly wakeUps: Map<string, DumpedWakeUp>
}

/**
 * Makes the target hold what the source holds; nobody else uses either. Each is read once, as a whole: that is far
 * faster than asking one for what the other has, and a server is stopped meanwhile.
 * @throws Error when their numbers of records differ at the end
 */
export async function compareStores(
  source: Store,
  target: Store,
  { horizon, progress }: CompareOptions,
): Promise<Differences> {
  let seen = 0
  const held = await readHeld(target, (entries) => progress((seen += entries)))
  const lasts = ({ expiresAt }: StoredRecord): boolean =>
    expiresAt === undefined || expiresAt > horizon
  const wakeUps = new Map<string, DumpedWakeUp>()
  let records = 0
  let found = 0
  let changed = 0
  for await (const entries of inChunks(source)) {
    const differing: DumpedRecord[] = []
    for (const record of recordsOf(entries)) {
      const isSame = held.revisions.get(record.key) === record.revision
      held.revisions.delete(record.key)
      if (lasts(record)) records += 1
      if (!isSame) differing.push(record)
      else if (lasts(record)) found += 1
    }
    const others = entries.filter((entry) => {
      if (entry.type !== 'wake-up') return entry.type === 'counter'
      wakeUps.set(nameOf(entry), entry)
      return !held.wakeUps.has(nameOf(entry))
    })
    changed += differing.length
    await target.load([...differing, ...others])
    found += await countThere(target, differing.filter(lasts))
    progress((seen += entries.length))
  }

  const gone = [...held.revisions.keys()]
  await deleteAll(target, gone)
  const deleted = gone.length + (await cancelGone(target, held.wakeUps.values(), wakeUps))
  if (found !== records) {
    throw new Error(
      `The copy holds ${found} records and the source ${records}. The source is not marked as moved; ` +
        'run this again while nothing uses either store.',
    )
  }
  return { records, changed, deleted }
}

async function readHeld(target: Store, progress: (entries: number) => void): Promise<Held> {
  const held: Held = { revisions: new Map(), wakeUps: new Map() }
  for await (const entries of inChunks(target)) {
    for (const { key, revision } of recordsOf(entries)) {
      // Bytes of its own: a part of a longer text would keep all of the text.
      held.revisions.set(key, Buffer.from(revision, 'latin1').toString('latin1'))
    }
    for (const entry of entries)
      if (entry.type === 'wake-up') held.wakeUps.set(nameOf(entry), entry)
    progress(entries.length)
  }
  return held
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
function* groups(keys: readonly Key[]): Generator<Key[]> {
  const byInstance = Map.groupBy(keys, (key) => key.slice(0, key.indexOf('}')))
  for (const group of byInstance.values()) {
    for (let at = 0; at < group.length; at += OF_INSTANCE) yield group.slice(at, at + OF_INSTANCE)
  }
}

/** How many of them a store holds in just this revision. */
async function countThere(store: Store, records: readonly DumpedRecord[]): Promise<number> {
  const reading = [...groups(records.map(({ key }) => key))].map((group) => store.getMany(group))
  const found = (await Promise.all(reading)).flat()
  const revisions = new Map(found.map((record) => [record?.key, record?.revision]))
  return records.filter(({ key, revision }) => revisions.get(key) === revision).length
}

async function deleteAll(store: Store, keys: readonly Key[]): Promise<void> {
  for (const group of groups(keys)) {
    await store.write(group.map((key) => ({ op: 'delete', key }) as const))
  }
}

/** Cancels wake-ups that the source has no more. The port cancels all of an id: others of it are put back. */
async function cancelGone(
  target: Store,
  held: Iterable<DumpedWakeUp>,
  wakeUps: ReadonlyMap<string, DumpedWakeUp>,
): Promise<number> {
  let count = 0
  for (const entry of held) {
    if (wakeUps.has(nameOf(entry))) continue
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
