import {
  checkChanges,
  checkHit,
  checkKeys,
  checkWriteId,
  instanceTag,
  readPage,
} from '../writes/arguments.ts'
import type { Bus } from '../bus.ts'
import type { Clock } from '../clock.ts'
import type { StoreEventLog } from '../log/store-log.ts'
import { loadEntries } from '../writes/load-entries.ts'
import { planChange } from '../writes/planned-change.ts'
import { revisionSource } from '../writes/revision.ts'
import type { Json } from '../json.ts'
import type {
  Change,
  DumpEntry,
  DumpSelection,
  Hit,
  InspectedRecord,
  IndexKey,
  Key,
  Page,
  PageRequest,
  Revision,
  StoredRecord,
  Usage,
  WriteOptions,
  WriteResult,
} from '../store.ts'
import { StoreUnavailableError } from '../store.ts'
import { WRITE_ANSWER_MS } from '../writes/write-answer.ts'
import { type Answers, createAnswers } from './answers.ts'
import { copyDatabase } from './copy-database.ts'
import { type Counters, createCounters } from './counters.ts'
import { createDueIndex, type DueIndex } from './due-index.ts'
import { createLocalBus } from './local-bus.ts'
import { dumpFile, dumpMemory } from './dump-file.ts'
import type { EmbeddedStore } from './embedded-store.ts'
import type { OpenFile } from './open-file.ts'
import { createRecords, type Records } from './records.ts'
import { readVersion } from './schema.ts'
import { startSweeping } from './sweep.ts'
import { startWalGuard, type WalGuard } from './wal-guard.ts'
import { createUsage, type UsageTable } from './usage.ts'
import type { WriteFailure } from './write-failure.ts'
import { createWriteBatch, unavailable, type WriteBatch } from './write-batch.ts'

/** What a store on a file is made of. */
export interface SqliteStoreParts {
  readonly place: string
  readonly clock: Clock
  readonly log: StoreEventLog
  readonly reads: readonly [oldest: number, newest: number]
  readonly countedKinds: readonly string[]
  readonly onWriteFailure: (failure: WriteFailure) => boolean
}

/** The embedded store: one process, one file. */
export class SqliteStore implements EmbeddedStore {
  readonly bus: Bus
  readonly scheduler: DueIndex
  readonly dumpsOneMoment = true
  readonly place: string
  readonly #clock: Clock
  readonly #file: OpenFile
  readonly #batch: WriteBatch
  readonly #records: Records
  readonly #counters: Counters
  readonly #answers: Answers
  readonly #usage: UsageTable
  readonly #nextRevision: () => Revision = revisionSource()
  readonly #reads: readonly [oldest: number, newest: number]
  readonly #walGuard: WalGuard
  readonly #stopSweeping: () => void
  readonly #writeListeners = new Set<(key: Key) => void>()
  #closing: Promise<void> | undefined
  #isOpen = true

  constructor(file: OpenFile, options: SqliteStoreParts) {
    this.#reads = options.reads
    const { db } = file
    this.place = options.place
    const { clock, log, countedKinds, onWriteFailure } = options
    const checkOpen = (): void => this.#checkOpen()
    this.#clock = clock
    this.#file = file
    this.#batch = createWriteBatch(db, onWriteFailure)
    this.#records = createRecords(db, (key) => this.#tellWritten(key))
    this.#counters = createCounters(db)
    this.#answers = createAnswers(db)
    this.#usage = createUsage(db, countedKinds)
    this.bus = createLocalBus(log, checkOpen)
    this.scheduler = createDueIndex({ db, batch: this.#batch, clock, log, checkOpen })
    this.#walGuard = startWalGuard({ db, path: file.path, clock, log })
    const tables = [this.#records, this.#counters, this.#answers]
    this.#stopSweeping = startSweeping({ tables, batch: this.#batch, clock, log })
  }

  async get<Value extends Json = Json>(key: Key): Promise<StoredRecord<Value> | undefined> {
    instanceTag(key)
    // The caller names the type of what it stored.
    return this.#read(() => this.#records.get(key, this.#clock.now())) as
      | StoredRecord<Value>
      | undefined
  }

  async getMany<Value extends Json = Json>(
    keys: readonly Key[],
  ): Promise<(StoredRecord<Value> | undefined)[]> {
    checkKeys(keys)
    const now = this.#clock.now()
    // One synchronous stretch: no write comes between. The caller names the type of what it stored.
    return this.#read(() => this.#records.getMany(keys, now)) as (StoredRecord<Value> | undefined)[]
  }

  async inspect(keys: readonly Key[]): Promise<(InspectedRecord | undefined)[]> {
    checkKeys(keys)
    const now = this.#clock.now()
    return this.#read(() => this.#records.inspect(keys, now))
  }

  async write(changes: readonly Change[], options: WriteOptions = {}): Promise<WriteResult> {
    const tag = checkChanges(changes)
    checkWriteId(options.id)
    this.#checkOpen()
    const revision = this.#nextRevision()
    if (tag === undefined) return { written: true, revision }
    const planned = changes.map((change) => planChange(change, this.#clock.now()))
    const id = options.id === undefined ? undefined : `${tag}:${options.id}`
    return this.#batch.run(() => {
      const now = this.#clock.now()
      const before = id === undefined ? undefined : this.#answers.find(id, now)
      if (before !== undefined) return before
      const answer = this.#records.write(planned, revision, now)
      if (id !== undefined) this.#answers.keep(id, answer, now + WRITE_ANSWER_MS)
      return answer
    })
  }

  async take<Value extends Json = Json>(key: Key): Promise<StoredRecord<Value> | undefined> {
    instanceTag(key)
    this.#checkOpen()
    const taken = await this.#batch.run(() => this.#records.take(key, this.#clock.now()))
    return taken as StoredRecord<Value> | undefined // The caller names the type of what it stored.
  }

  async hit(counter: Key, windowMs: number, by = 1): Promise<Hit> {
    instanceTag(counter)
    checkHit(windowMs, by)
    if (by === 0) return this.#read(() => this.#counters.read(counter, this.#clock.now()))
    this.#checkOpen()
    return this.#batch.run(() => this.#counters.hit(counter, windowMs, by, this.#clock.now()))
  }

  async list<Value extends Json = Json>(
    index: IndexKey,
    page: PageRequest = {},
  ): Promise<Page<Value>> {
    instanceTag(index)
    const request = readPage(page)
    // The caller names the type of what it stored.
    return this.#read(() => this.#records.list(index, request, this.#clock.now())) as Page<Value>
  }

  async count(index: IndexKey): Promise<number> {
    instanceTag(index)
    return this.#read(() => this.#records.count(index))
  }

  async usage(instance: string): Promise<Usage> {
    return this.#read(() => this.#usage.read(instance, this.#clock.now()))
  }

  async recount(instance: string): Promise<Usage> {
    this.#checkOpen()
    await this.#batch.run(() => this.#usage.recount(instance))
    return this.usage(instance)
  }

  async *dump(selection?: DumpSelection): AsyncGenerator<DumpEntry> {
    this.#checkOpen()
    const { db, path } = this.#file
    yield* path === undefined
      ? dumpMemory(db, this.#clock, selection)
      : dumpFile(path, this.#clock, this.#reads, selection)
  }

  async load(entries: AsyncIterable<DumpEntry> | Iterable<DumpEntry>): Promise<void> {
    const now = (): number => this.#clock.now()
    const run = async (work: () => void): Promise<void> => {
      this.#checkOpen()
      await this.#batch.run(work)
    }
    await loadEntries(entries, {
      now,
      records: (loaded) =>
        run(() => {
          // Written by a store before: a Revision.
          for (const one of loaded)
            this.#records.write([one.change], one.revision as Revision, now())
        }),
      counters: (loaded) =>
        run(() => {
          for (const { key, ...hit } of loaded) this.#counters.load(key, hit)
        }),
      scheduler: this.scheduler,
    })
  }

  async backup(target: string, { signal }: { readonly signal?: AbortSignal } = {}): Promise<void> {
    this.#checkOpen()
    await copyDatabase(this.#file.db, target, signal)
  }

  version(): number {
    return this.#read(() => readVersion(this.#file.db))
  }

  async raise(version: number, changes: readonly Change[]): Promise<void> {
    if (!Number.isInteger(version) || version < this.version()) {
      throw new TypeError('a store is raised to a later version')
    }
    checkChanges(changes)
    this.#checkOpen()
    const now = this.#clock.now()
    const planned = changes.map((change) => planChange(change, now))
    await this.#batch.run(() => {
      this.#records.write(planned, this.#nextRevision(), now)
      this.#file.db.exec(`PRAGMA user_version = ${version}`)
    })
  }

  async health(): Promise<void> {
    this.#checkOpen()
    // A write, since a full or read-only disk still answers reads.
    await this.#batch.run(() => this.#answers.probe(this.#clock.now()))
  }

  /** The lock of the file keeps other processes out. */
  onWritten(listener: (key: Key) => void): () => void {
    this.#writeListeners.add(listener)
    return () => this.#writeListeners.delete(listener)
  }

  #tellWritten(key: Key): void {
    for (const listener of this.#writeListeners) listener(key)
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    this.#stopSweeping()
    this.#walGuard.stop()
    await this.scheduler.stop()
    this.#isOpen = false
    this.#batch.flush()
    this.#file.close()
  }

  #read<Result>(read: () => Result): Result {
    this.#checkOpen()
    try {
      return read()
    } catch (error) {
      throw unavailable(error)
    }
  }

  #checkOpen(): void {
    if (!this.#isOpen) throw new StoreUnavailableError('the store is closed')
  }
}
