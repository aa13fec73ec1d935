import { randomBytes } from 'node:crypto'
import type { Clock } from '../clock.ts'
import { indexKey, recordKey } from '../keys.ts'
import type { IndexKey, Key, Store } from '../store.ts'

// What is waited for takes moments; this is when waiting any longer makes no sense on the slowest machine.
const PATIENCE_MS = 30_000

/** The two functions that a test runner offers. */
export interface TestRunner {
  describe(name: string, define: () => void): unknown
  it(name: string, run: () => Promise<void>): unknown
}

/** Opens a store that takes the time from the clock, and counts the kinds `thing` and `other`. */
export type MakeStore = (clock: Clock) => Promise<Store>

/** What a run of the contract may be told beside how a store is opened. */
export interface TestStoreOptions {
  /**
   * Opens data by their name: the same name is the same data, after the store that wrote them was closed. Without it
   * nothing says whether acknowledged writes outlive their store.
   */
  readonly openData?: (clock: Clock, name: string) => Promise<Store>
  /** How long a message or a wake-up is waited for. @defaultValue `30000` */
  readonly patienceMs?: number
}

/** What a test works with. */
export interface Subject {
  readonly store: Store
  readonly clock: TestClock
  /** The id of an instance that nobody else uses. */
  readonly instance: string
  /** A record key of the instance. */
  readonly key: (id: string) => Key
  /** An index of the instance. */
  readonly index: (name: string) => IndexKey
  /** Waits until the condition holds, looking again every few milliseconds; throws when patience ends. */
  readonly eventually: (isTrue: () => boolean) => Promise<void>
}

/** The machine's clock and an offset. @see decision D66 */
export interface TestClock extends Clock {
  advance(ms: number): void
}

/** A test on a store of its own. */
export type DefineTest = (name: string, run: (subject: Subject) => Promise<void>) => void

/** Part of the contract. */
export type DefinePart = (
  runner: TestRunner,
  makeStore: MakeStore,
  options: TestStoreOptions,
) => void

/** Names a part of the contract and gives its tests their stores. */
export function part(name: string, define: (test: DefineTest) => void): DefinePart {
  return (runner, makeStore, options) => {
    runner.describe(name, () => {
      define((title, run) => {
        runner.it(title, async () => {
          const clock = testClock()
          const store = await makeStore(clock)
          try {
            await run(subjectOf(store, clock, options))
          } finally {
            await store.close()
          }
        })
      })
    })
  }
}

/** What a test works with, on an instance of its own. */
export function subjectOf(store: Store, clock: TestClock, options: TestStoreOptions): Subject {
  const instance = randomBytes(9).toString('base64url')
  return {
    store,
    clock,
    instance,
    key: (id) => recordKey(instance, 'thing', id),
    index: (name) => indexKey(instance, name),
    eventually: (isTrue) => eventually(isTrue, options.patienceMs),
  }
}

export function testClock(): TestClock {
  let offset = 0
  return {
    now: () => Date.now() + offset,
    advance(ms) {
      offset += ms
    },
  }
}

/**
 * Waits until the condition holds, looking again every few milliseconds.
 * @throws Error after `limitMs`
 */
export async function eventually(
  isTrue: () => boolean,
  limitMs: number = PATIENCE_MS,
): Promise<void> {
  const deadline = performance.now() + limitMs
  while (!isTrue()) {
    if (performance.now() > deadline) throw new Error(`still not so after ${limitMs} ms`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
