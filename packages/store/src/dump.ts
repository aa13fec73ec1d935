import type { IndexEntry, Key, Revision } from './store.ts'
import type { Json } from './json.ts'

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

/** Whether a wake-up is the instance's: its id is the instance's, or begins with it. */
export function isWakeUpOf(instance: string, id: string): boolean {
  return id.startsWith(instance) && !/^[A-Za-z0-9_-]/.test(id.slice(instance.length))
}
