import { type Clock, systemClock } from '../clock.ts'
import { silentLog, type StoreLog } from '../log/store-log.ts'
import {
  defineOptions,
  func,
  instance,
  integer,
  type OptionsDefinition,
  type OptionsFor,
  port,
  type Settled,
  text,
} from '../options/index.ts'
import type { WriteFailure } from './write-failure.ts'
import { countedKinds } from '../usage/counted-kinds.ts'
import { KNOWN_VERSIONS } from './schema.ts'

/** What {@link sqliteStore} is told. */
export interface SqliteStoreOptions {
  /** Path of the store's file, made with its directory when absent; `:memory:` for a store that dies with the object. */
  readonly file: string
  /**
   * Decides what is expired and what is due.
   * @defaultValue the machine's clock
   */
  readonly clock?: Clock
  /** Takes what an operator should know. @defaultValue says nothing */
  readonly log?: StoreLog
  /**
   * Page cache; the operating system caches the file besides.
   * @defaultValue `4096`
   */
  readonly cacheKib?: number
  /**
   * Kinds of records whose bytes are counted, for `usage`.
   * @defaultValue none
   */
  readonly countedKinds?: readonly string[]
  /**
   * Hears, at once, why writes of a turn did not become durable, and may make room: after `true` they are tried once
   * more. Whatever comes then, callers of writes that are not durable hear that the store is not available.
   * @defaultValue nothing is made
   */
  readonly onWriteFailure?: (failure: WriteFailure) => boolean
  /**
   * Oldest and newest version of a file that the caller knows. A new file is of version 1.
   * @defaultValue `[1, 1]`
   * @see operation.md 5.1
   */
  readonly reads?: readonly [oldest: number, newest: number]
}

export const SQLITE_OPTIONS: OptionsDefinition<Settled<SqliteStoreOptions>> = defineOptions({
  file: text('a path'),
  clock: port<Clock>(['now']).or(systemClock, "the machine's clock"),
  log: port<StoreLog>(['warn', 'error']).or(silentLog, 'says nothing'),
  cacheKib: integer(64, 1_048_576, { unit: 'KiB' }).or(4096),
  countedKinds,
  onWriteFailure: func<(failure: WriteFailure) => boolean>().or(() => false, 'nothing is made'),
  reads: instance<readonly [number, number]>('two versions, the older one first', isRange).or(
    KNOWN_VERSIONS,
    '`[1, 1]`',
  ),
} satisfies OptionsFor<SqliteStoreOptions>)

function isRange(value: unknown): boolean {
  const [oldest, newest]: unknown[] = Array.isArray(value) ? value : []
  return Number.isInteger(oldest) && Number.isInteger(newest) && Number(oldest) <= Number(newest)
}
