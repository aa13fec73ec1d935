import { HOUR_MS } from '@svc/platform'
import type { Clock, DumpEntry, Store } from '@svc/store'
import { compareStores, type Differences } from './compare-stores.ts'
import { isOfServer, putStoreRecord, readStoreRecord, type StoreRecord } from './store-record.ts'
import { checkVersion, KNOWN_VERSIONS } from './store-version.ts'

/** Where a copy comes from. */
export interface CopySource {
  /** Without passwords. */
  readonly name: string
  readonly record: StoreRecord
  /** What it holds now, in use or not. */
  dump(): AsyncIterable<DumpEntry>
  /** The store itself; undefined while a server uses it. */
  readonly store: Store | undefined
}

/** Where it goes. */
export interface CopyTarget {
  readonly engine: 'redis' | 'sqlite'
  readonly store: Store
  /** Gives the target its version, with the record that says so. */
  settle(record: StoreRecord): Promise<void>
}

export interface CopyReport extends Differences {
  /** Entries of the first pass; undefined when it was not needed any more. */
  readonly copied?: number
  /** Whether all of it is there, and the source is marked as moved. */
  readonly isDone: boolean
}

/**
 * Copies a whole store. A first pass copies everything, also while a server uses the source. Once none does, a second
 * pass copies what differs, deletes what is gone, compares the numbers, and marks the source as moved.
 * @throws Error when the target holds something else, and when the two differ at the end; the source is untouched then
 * @see operation.md 4.4
 */
export async function copyStore(
  source: CopySource,
  target: CopyTarget,
  options: { readonly clock: Clock; readonly progress: (entries: number) => void },
): Promise<CopyReport> {
  const { clock, progress } = options
  checkVersion(
    { version: source.record.version, record: withoutMove(source.record) },
    KNOWN_VERSIONS,
  )
  const place = await readStoreRecord(target.store)
  let copied: number | undefined
  if (place?.copyFrom !== source.name) {
    if (place !== undefined || !(await isEmpty(target.store))) {
      throw new Error(
        'The target holds something already, and not an unfinished copy of this source. ' +
          'Empty it, or name another one. Nothing was changed.',
      )
    }
    const { store } = target
    await store.write([putStoreRecord({ ...withoutMove(source.record), copyFrom: source.name })])
    copied = await copyAll(source, store, progress)
  }
  const first = { ...(copied !== undefined && { copied }) }
  const { store } = source
  if (store === undefined) return { ...first, ...NO_DIFFERENCE, isDone: false }
  const horizon = clock.now() + HOUR_MS
  const differences = await compareStores(store, target.store, { horizon, progress })
  const record = withoutMove(source.record)
  await store.write([putStoreRecord({ ...record, movedTo: target.engine, movedAt: clock.now() })])
  await target.settle(record)
  return { ...first, ...differences, isDone: true }
}

const NO_DIFFERENCE: Differences = { records: 0, changed: 0, deleted: 0 }

function withoutMove(record: StoreRecord): StoreRecord {
  const { version, oldestProduct, product, raisedAt } = record
  return { version, oldestProduct, product, raisedAt }
}

async function isEmpty(store: Store): Promise<boolean> {
  for await (const _entry of store.dump()) return false
  return true
}

async function copyAll(
  source: CopySource,
  target: Store,
  progress: (entries: number) => void,
): Promise<number> {
  let count = 0
  async function* carried(): AsyncGenerator<DumpEntry> {
    for await (const entry of source.dump()) {
      if (entry.type === 'record' && isOfServer(entry.key)) continue
      count++
      if (count % 500 === 0) progress(count)
      yield entry
    }
  }
  await target.load(carried())
  return count
}
