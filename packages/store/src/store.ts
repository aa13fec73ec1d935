import type { Bus } from './bus.ts'
import type { Json } from './json.ts'
import type { Scheduler } from './scheduler.ts'

/** A key built by `keys.ts`: `{<instance>}:<kind>:<id>`. */
export type Key = string & { readonly __key: 'Key' }

/** A declared index, built by `indexKey` in `keys.ts`: `{<instance>}:index:<name>`. */
export type IndexKey = string & { readonly __key: 'IndexKey' }

/** Changes at every successful write of a record; opaque, compared for equality only. */
export type Revision = string & { readonly __key: 'Revision' }

/** A live record. */
export interface StoredRecord<Value extends Json = Json> {
  readonly key: Key
  readonly value: Value
  readonly revision: Revision
  /** Instant of death in milliseconds since the epoch; absent: never. */
  readonly expiresAt?: number
}

/** Membership of a record in an index; `sort` orders the members (compared as UTF-8 bytes). */
export interface IndexEntry {
  readonly index: IndexKey
  /** Printable text of at most 256 bytes; may be empty. */
  readonly sort: string
}

/** A live record and where it is listed. */
export interface InspectedRecord<Value extends Json = Json> extends StoredRecord<Value> {
  /** All its index entries, in a fixed order. */
  readonly indexes: readonly IndexEntry[]
}

/** What a change demands of the record's present state, else the whole write does not happen. */
export interface Condition {
  /** No live record may exist under the key. */
  readonly ifAbsent?: true
  /** A live record must exist under the key. */
  readonly ifPresent?: true
  /** The live record must have this revision. */
  readonly ifRevision?: Revision
}

/** Stores a value, replacing what was there, its expiry and its index entries. Dead on arrival, it is a delete. */
export interface PutChange extends Condition {
  readonly op: 'put'
  readonly key: Key
  readonly value: Json
  /** Instant of death in milliseconds since the epoch; absent: never. */
  readonly expiresAt?: number
  /** All index entries of the record; indexes share the record's instance. */
  readonly indexes?: readonly IndexEntry[]
}

/** Removes a record and its index entries; of an absent one: nothing, unless a condition demands it. */
export interface DeleteChange extends Condition {
  readonly op: 'delete'
  readonly key: Key
}

/** Moves a live record's expiry, keeping value and index entries (its revision changes); absent: nothing. */
export interface TouchChange extends Condition {
  readonly op: 'touch'
  readonly key: Key
  readonly expiresAt: number
}

/**
 * Stores another value in a live record, whose expiry and index entries stay (its revision changes). The condition
 * fails when no live record is there.
 */
export interface ReviseChange extends Condition {
  readonly op: 'revise'
  readonly key: Key
  readonly value: Json
}

/** Changes nothing: only its condition counts. */
export interface CheckChange extends Condition {
  readonly op: 'check'
  readonly key: Key
}

/**
 * One change of a write, by its `op`. All changes of a write happen, or none; a condition that fails ends all of them.
 * @see docs/recipes/own-store.md of the repository
 */
export type Change = PutChange | DeleteChange | TouchChange | ReviseChange | CheckChange

/**
 * What a write is told beside its changes.
 * @see docs/recipes/own-store.md of the repository
 * @example
 * await store.write(changes, { id: 'a0b1c2d3e4f5a6b7c8d9e0f1a2b3c4d5' })
 */
export interface WriteOptions {
  /**
   * Makes a repeat within 60 s answer what the first call answered, without writing again. At least 128 random bits,
   * as 16 to 128 characters of `A-Z a-z 0-9 - _`.
   */
  readonly id?: string
}

/** Whether the write happened. `revision` is that of every record it put, touched or revised. */
export type WriteResult =
  | { readonly written: true; readonly revision: Revision }
  | { readonly written: false; readonly failed: Key }

/**
 * What `Store.hit` answers: where a counter stands.
 * @example
 * const { count, resetsAt } = await store.hit(recordKey('alice', 'logins', '192.0.2.1'), 60_000)
 */
export interface Hit {
  /** Hits in the window, this one included. */
  readonly count: number
  /** End of the window in milliseconds since the epoch; now when no window is open. */
  readonly resetsAt: number
}

/** What an instance keeps of a kind of record. */
export interface KindUsage {
  readonly records: number
  /** Of keys and values, as JSON in UTF-8. */
  readonly bytes: number
}

/** What an instance keeps, by kind of record. */
export type Usage = Readonly<Record<string, KindUsage>>

/**
 * Which part of an index `Store.list` gives.
 * @see docs/recipes/own-store.md of the repository
 */
export interface PageRequest {
  /** 1 to 100. @defaultValue `100` */
  readonly limit?: number
  /** As given by the previous page of the same index; TypeError when malformed. */
  readonly cursor?: string
  /** @defaultValue `asc` */
  readonly order?: 'asc' | 'desc'
}

/**
 * A page of an index, in the order that was asked for.
 * @typeParam Value - the value of its records
 * @see docs/recipes/own-store.md of the repository
 */
export interface Page<Value extends Json = Json> {
  readonly records: readonly StoredRecord<Value>[]
  /** Absent on the last page. A page may hold fewer records than asked for, even none, and still have a cursor. */
  readonly cursor?: string
}

/** A live record as it is carried to another store. */
export interface DumpedRecord {
  readonly type: 'record'
  readonly key: Key
  readonly value: Json
  readonly revision: Revision
  /** Instant of death in milliseconds since the epoch; absent: never. */
  readonly expiresAt?: number
  readonly indexes: readonly IndexEntry[]
}

/** A counter whose window is open. */
export interface DumpedCounter {
  readonly type: 'counter'
  readonly key: Key
  readonly count: number
  /** End of the window in milliseconds since the epoch. */
  readonly resetsAt: number
}

/** A wake-up that was asked for and is not handled yet. */
export interface DumpedWakeUp {
  readonly type: 'wake-up'
  readonly queue: string
  readonly id: string
  /** The instant asked for, milliseconds since the epoch. */
  readonly dueAt: number
}

/** What a dump is wanted of. */
export interface DumpSelection {
  /** An instance: only what is its, and no counters. Wake-ups are its when their id begins with its id. */
  readonly instance: string
  /** Whether its records are wanted, in the byte order of their keys. */
  readonly records: boolean
  /** The queues whose wake-ups are wanted. */
  readonly queues: readonly string[]
}

/** Part of a store's content, in the same form for both engines. */
export type DumpEntry = DumpedRecord | DumpedCounter | DumpedWakeUp

/**
 * Durable records with expiry, on one of two engines with the same promises.
 *
 * All keys of one call share an instance, otherwise `TypeError`. Every method may throw a
 * {@link StoreUnavailableError}; after one from `write` or `take` the outcome is unknown.
 * @see architecture.md section 2; decisions D5, D6, D56
 */
export interface Store {
  /** The live record, or undefined. Expiry is decided by the stored instant. */
  get<Value extends Json = Json>(key: Key): Promise<StoredRecord<Value> | undefined>
  /** Several live records of one instance, in the order of `keys`, read at one moment. At most 100. */
  getMany<Value extends Json = Json>(
    keys: readonly Key[],
  ): Promise<(StoredRecord<Value> | undefined)[]>
  /** As {@link Store.getMany}, with the index entries of each record: for what carries records elsewhere. */
  inspect(keys: readonly Key[]): Promise<(InspectedRecord | undefined)[]>
  /**
   * All of the changes, or none. Acknowledged means it survives `kill -9`.
   * At most 128 changes; a key at most once.
   */
  write(changes: readonly Change[], options?: WriteOptions): Promise<WriteResult>
  /** Reads and deletes in one step: of N parallel callers exactly one gets the record. */
  take<Value extends Json = Json>(key: Key): Promise<StoredRecord<Value> | undefined>
  /**
   * Counts in a fixed window from the first hit, atomically. A positive `by` opens a window when none is open;
   * a negative one releases, never below 0, and never opens one; 0 reads.
   */
  hit(counter: Key, windowMs: number, by?: number): Promise<Hit>
  /** Live records under an index, in pages; never a scan of the keyspace. */
  list<Value extends Json = Json>(index: IndexKey, page?: PageRequest): Promise<Page<Value>>
  /**
   * How many records an index has: exact of those that never expire. One that expired may count until it is removed.
   */
  count(index: IndexKey): Promise<number>
  /**
   * How many live records an instance has, and their bytes, by kind: of the kinds that the store was told to count, in
   * the same step as each change.
   */
  usage(instance: string): Promise<Usage>
  /** Counts them anew, record by record, keeps that, and answers it. For operators: it reads the whole instance. */
  recount(instance: string): Promise<Usage>
  /**
   * Everything that lives in the store: records, then counters, then wake-ups, each once. For commands only: it reads the
   * whole store, and request paths never call it. The embedded store is read at one moment. Redis is read in pages: what
   * changes meanwhile may be in it or not, what stays is.
   * @param selection - what is wanted of one instance; everything otherwise
   */
  dump(selection?: DumpSelection): AsyncIterable<DumpEntry>
  /** What people call the place of the store: the path of its file, or where Redis is, without credentials. */
  readonly place?: string | undefined
  /** Whether a dump shows one moment, whatever is written meanwhile. */
  readonly dumpsOneMoment: boolean
  /**
   * Stores what {@link Store.dump} gave, here or elsewhere, with its revisions, in place of what had the same key. The
   * same entries again change nothing; what is dead by now stays away. For commands only, like the dump.
   * @throws TypeError when an entry is malformed; those before it may be stored
   */
  load(entries: AsyncIterable<DumpEntry> | Iterable<DumpEntry>): Promise<void>
  /**
   * Tells of every record that is written, touched or deleted, in the step that does it and before it is answered; not of
   * those whose time is over. There where nobody but this object writes to the store: what it answered once is good until
   * its key is told. Absent: others may write. The listener must not throw.
   * @returns ends it
   */
  readonly onWritten?: ((listener: (key: Key) => void) => () => void) | undefined
  /** Best-effort events, across processes on Redis. */
  readonly bus: Bus
  /** Wakes handlers at due times, at least once, after restarts too. */
  readonly scheduler: Scheduler
  /** Resolves when the store answers and can write; rejects with {@link StoreUnavailableError} otherwise. */
  health(): Promise<void>
  /** Finishes pending writes and lets go of everything. Further calls throw {@link StoreUnavailableError}. */
  close(): Promise<void>
}

/**
 * The store cannot be used now (down, slow, read-only, closed). Never means "not found" or "consumed".
 * Carries what an HTTP renderer needs: status 503 and `Retry-After`.
 */
export class StoreUnavailableError extends Error {
  override readonly name: string = 'StoreUnavailableError'
  readonly code: string = 'store_unavailable'
  readonly status: number = 503
  readonly expose: boolean = true
  readonly headers: Readonly<Record<string, string>> = { 'Retry-After': '1' }

  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
  }
}
