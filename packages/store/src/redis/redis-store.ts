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
import { cursorText } from '../writes/member.ts'
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
  Store,
  StoredRecord,
  Usage,
  WriteOptions,
  WriteResult,
} from '../store.ts'
import { WRITE_ANSWER_MS } from '../writes/write-answer.ts'
import { changeArguments } from './change-arguments.ts'
import type { Connection } from './connection.ts'
import { dumpRedis } from './dump-redis.ts'
import { loadTarget } from './load-redis.ts'
import {
  indexName,
  physicalAnswer,
  physicalCounter,
  physicalIndex,
  unpack,
  unpackEntries,
} from './packed-record.ts'
import type { RedisBus } from './redis-bus.ts'
import type { RedisScheduler } from './redis-scheduler.ts'
import type { RedisUsage } from './usage/redis-usage.ts'
import type { RunScript } from './run-script.ts'
import { SCRIPTS, TTL_MARGIN_MS } from './scripts.ts'

/** What a store on Redis is made of. */
export interface RedisStoreParts {
  readonly place: string
  readonly connection: Connection
  readonly runScript: RunScript
  readonly bus: RedisBus
  readonly scheduler: RedisScheduler
  readonly clock: Clock
  readonly usage: RedisUsage
}

/** The store on Redis or Valkey: any number of processes. */
export class RedisStore implements Store {
  readonly bus: Bus
  readonly dumpsOneMoment = false
  readonly place: string
  readonly scheduler: RedisScheduler
  readonly #parts: RedisStoreParts
  readonly #clock: Clock
  readonly #nextRevision: () => Revision = revisionSource()
  #closing: Promise<void> | undefined

  constructor(parts: RedisStoreParts) {
    this.#parts = parts
    this.place = parts.place
    this.#clock = parts.clock
    this.bus = parts.bus
    this.scheduler = parts.scheduler
  }

  async get<Value extends Json = Json>(key: Key): Promise<StoredRecord<Value> | undefined> {
    instanceTag(key)
    const { connection } = this.#parts
    const packed = await connection.send(() => connection.client.get(key))
    // The caller names the type of what it stored.
    return this.#unpack(key, packed) as StoredRecord<Value> | undefined
  }

  async getMany<Value extends Json = Json>(
    keys: readonly Key[],
  ): Promise<(StoredRecord<Value> | undefined)[]> {
    checkKeys(keys)
    if (keys.length === 0) return []
    const { connection } = this.#parts
    const packed = await connection.send(() => connection.client.mget([...keys]))
    return keys.map(
      // The caller names the type of what it stored.
      (key, position) => this.#unpack(key, packed[position]) as StoredRecord<Value> | undefined,
    )
  }

  async inspect(keys: readonly Key[]): Promise<(InspectedRecord | undefined)[]> {
    checkKeys(keys)
    if (keys.length === 0) return []
    const { connection } = this.#parts
    const packed = await connection.send(() => connection.client.mget([...keys]))
    const now = this.#clock.now()
    return keys.map((key, position) => {
      const text = packed[position]
      const record = typeof text === 'string' ? unpack(key, text, now) : undefined
      return typeof text === 'string' && record !== undefined
        ? { ...record, indexes: unpackEntries(key, text) }
        : undefined
    })
  }

  async write(changes: readonly Change[], options: WriteOptions = {}): Promise<WriteResult> {
    const tag = checkChanges(changes)
    checkWriteId(options.id)
    const revision = this.#nextRevision()
    if (tag === undefined) return { written: true, revision }
    const now = this.#clock.now()
    const planned = changes.map((change) => planChange(change, now))
    const { id } = options
    const keys: string[] = planned.map(({ key }) => key)
    if (id !== undefined) keys.push(physicalAnswer(tag, id))
    for (const { entries } of planned) {
      for (const { index } of entries) keys.push(physicalIndex(tag, indexName(index)))
    }
    const args = [
      now,
      physicalIndex(tag, ''),
      planned.length,
      id === undefined ? '' : WRITE_ANSWER_MS,
      revision,
      ...planned.flatMap((change) =>
        changeArguments(change, revision, now, this.#parts.usage.counts(change.key)),
      ),
    ]
    // Text: the script answers nothing else.
    const answer = (await this.#parts.runScript(SCRIPTS.write, keys, args, {
      repeat: id !== undefined,
      replicate: true,
    })) as string
    return answer.startsWith('1')
      ? { written: true, revision: answer.slice(1) as Revision } // The revision passed in.
      : { written: false, failed: answer.slice(1) as Key } // One of the keys passed in.
  }

  async take<Value extends Json = Json>(key: Key): Promise<StoredRecord<Value> | undefined> {
    const tag = instanceTag(key)
    const now = this.#clock.now()
    const args = [now, physicalIndex(tag, ''), this.#parts.usage.counts(key) ? 'u' : '']
    const packed = await this.#parts.runScript(SCRIPTS.take, [key], args, { replicate: true })
    // The script answers text or nil. The caller names the type of what it stored.
    return this.#unpack(key, packed as string | null) as StoredRecord<Value> | undefined
  }

  async hit(counter: Key, windowMs: number, by = 1): Promise<Hit> {
    const tag = instanceTag(counter)
    checkHit(windowMs, by)
    const args = [this.#clock.now(), windowMs, by, TTL_MARGIN_MS]
    const answer = await this.#parts.runScript(SCRIPTS.hit, [physicalCounter(tag, counter)], args)
    const [count, resetsAt] = String(answer).split(' ')
    return { count: Number(count), resetsAt: Number(resetsAt) }
  }

  async list<Value extends Json = Json>(
    index: IndexKey,
    page: PageRequest = {},
  ): Promise<Page<Value>> {
    const tag = instanceTag(index)
    const { limit, descending, after } = readPage(page)
    const from = after === undefined ? (descending ? '+' : '-') : `(${after.text}`
    const name = indexName(index)
    const args = [name, descending ? 1 : 0, from, descending ? '-' : '+', limit]
    const found = await this.#parts.runScript(SCRIPTS.list, [physicalIndex(tag, name)], args)
    const [last = '', ...pairs] = found as string[] // The script answers a list of texts.
    const records: StoredRecord<Value>[] = []
    for (let position = 0; position < pairs.length; position += 2) {
      // Keys in an index come from records. The caller names the type of what it stored.
      const key = pairs[position] as Key
      const record = this.#unpack(key, pairs[position + 1]) as StoredRecord<Value> | undefined
      if (record !== undefined) records.push(record)
    }
    return last === '' ? { records } : { records, cursor: cursorText(last) }
  }

  async count(index: IndexKey): Promise<number> {
    const physical = physicalIndex(instanceTag(index), indexName(index))
    const { connection } = this.#parts
    return connection.send(() => connection.client.zcard(physical))
  }

  async usage(instance: string): Promise<Usage> {
    return this.#parts.usage.read(instance)
  }

  async recount(instance: string): Promise<Usage> {
    return this.#parts.usage.recount(instance)
  }

  dump(selection?: DumpSelection): AsyncIterable<DumpEntry> {
    const { connection } = this.#parts
    return dumpRedis(connection, this.scheduler, this.#clock, selection)
  }

  load(entries: AsyncIterable<DumpEntry> | Iterable<DumpEntry>): Promise<void> {
    return loadEntries(entries, loadTarget(this.#parts))
  }

  async health(): Promise<void> {
    const { connection } = this.#parts
    // A write, since a Redis that is read-only, full or cannot save still answers a ping.
    await connection.send(() => connection.client.set('{svc}:#health', '1', 'PX', TTL_MARGIN_MS))
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    const { bus, connection, scheduler } = this.#parts
    try {
      await scheduler.close()
      await bus.close()
    } finally {
      await connection.close()
    }
  }

  #unpack(key: Key, packed: string | null | undefined): StoredRecord | undefined {
    return typeof packed === 'string' ? unpack(key, packed, this.#clock.now()) : undefined
  }
}
