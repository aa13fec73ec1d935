import { hash } from 'node:crypto'
import type {
  Bus,
  Change,
  DumpEntry,
  DumpSelection,
  Hit,
  IndexKey,
  InspectedRecord,
  Json,
  Key,
  Page,
  PageRequest,
  Scheduler,
  Store,
  StoredRecord,
  Usage,
  WriteOptions,
  WriteResult,
} from '@svc/store'
import type { PlatformLog } from '../log/log-events.ts'
import { bringForward, MalformedRecordError, withVersion } from './bring-forward.ts'
import type { RecordKind } from './record-kind.ts'

/**
 * A store that gives records of these kinds as their present version has them, and says the version in what it writes.
 * While every kind has version 1 it is the store itself.
 */
export function versionedStore(
  store: Store,
  kinds: readonly RecordKind[],
  log: Pick<PlatformLog, 'error'>,
): Store {
  const later = kinds.filter(({ version }) => version > 1)
  if (later.length === 0) return store
  return new VersionedStore(store, new Map(later.map((kind) => [kind.kind, kind])), log)
}

class VersionedStore implements Store {
  readonly #store: Store
  readonly #kinds: ReadonlyMap<string, RecordKind>
  readonly #log: Pick<PlatformLog, 'error'>

  constructor(
    store: Store,
    kinds: ReadonlyMap<string, RecordKind>,
    log: Pick<PlatformLog, 'error'>,
  ) {
    this.#store = store
    this.#kinds = kinds
    this.#log = log
  }

  get bus(): Bus {
    return this.#store.bus
  }

  get scheduler(): Scheduler {
    return this.#store.scheduler
  }

  get onWritten(): Store['onWritten'] {
    return this.#store.onWritten?.bind(this.#store)
  }

  async get<Value extends Json = Json>(key: Key): Promise<StoredRecord<Value> | undefined> {
    return this.#forward(await this.#store.get<Value>(key))
  }

  async getMany<Value extends Json = Json>(
    keys: readonly Key[],
  ): Promise<(StoredRecord<Value> | undefined)[]> {
    const records = await this.#store.getMany<Value>(keys)
    return records.map((record) => this.#forward(record))
  }

  async inspect(keys: readonly Key[]): Promise<(InspectedRecord | undefined)[]> {
    const records = await this.#store.inspect(keys)
    return records.map((record) => record && { ...record, ...this.#forward(record) })
  }

  /** As they are stored: what loads them reads their versions itself. */
  dump(selection?: DumpSelection): AsyncIterable<DumpEntry> {
    return this.#store.dump(selection)
  }

  get place(): string | undefined {
    return this.#store.place
  }

  get dumpsOneMoment(): boolean {
    return this.#store.dumpsOneMoment
  }

  load(entries: AsyncIterable<DumpEntry> | Iterable<DumpEntry>): Promise<void> {
    return this.#store.load(entries)
  }

  write(changes: readonly Change[], options?: WriteOptions): Promise<WriteResult> {
    return this.#store.write(
      changes.map((change) => this.#versioned(change)),
      options,
    )
  }

  async take<Value extends Json = Json>(key: Key): Promise<StoredRecord<Value> | undefined> {
    return this.#forward(await this.#store.take<Value>(key))
  }

  hit(counter: Key, windowMs: number, by?: number): Promise<Hit> {
    return this.#store.hit(counter, windowMs, by)
  }

  async list<Value extends Json = Json>(
    index: IndexKey,
    request?: PageRequest,
  ): Promise<Page<Value>> {
    const page = await this.#store.list<Value>(index, request)
    return { ...page, records: page.records.flatMap((record) => this.#forward(record) ?? []) }
  }

  count(index: IndexKey): Promise<number> {
    return this.#store.count(index)
  }

  usage(instance: string): Promise<Usage> {
    return this.#store.usage(instance)
  }

  recount(instance: string): Promise<Usage> {
    return this.#store.recount(instance)
  }

  health(): Promise<void> {
    return this.#store.health()
  }

  close(): Promise<void> {
    return this.#store.close()
  }

  #kindOf(key: Key): RecordKind | undefined {
    const [, kind = ''] = /^\{[^}]+\}:([^:]+):/.exec(key) ?? []
    return this.#kinds.get(kind)
  }

  #versioned(change: Change): Change {
    if (!('value' in change)) return change
    const kind = this.#kindOf(change.key)
    return kind === undefined
      ? change
      : { ...change, value: withVersion(kind.version, change.value) }
  }

  /** @throws MalformedRecordError, logged */
  #forward<Value extends Json>(
    record: StoredRecord<Value> | undefined,
  ): StoredRecord<Value> | undefined {
    const kind = record && this.#kindOf(record.key)
    if (kind === undefined || record === undefined) return record
    try {
      // What the present version of the kind has is what its package reads.
      return { ...record, value: bringForward(kind, record.value) as Value }
    } catch (error) {
      if (error instanceof MalformedRecordError) {
        const key = hash('sha256', record.key, 'base64url')
        this.#log.error('record.malformed', { kind: kind.kind, key, cause: error.message })
      }
      throw error
    }
  }
}
