import type { Clock } from '../../src/clock.ts'
import type { TestStoreOptions } from '../../src/contract.ts'
import { sqliteStore } from '../../src/sqlite/index.ts'
import {
  type Change,
  type IndexKey,
  type Key,
  type Page,
  type Store,
  StoreUnavailableError,
  type StoredRecord,
} from '../../src/store.ts'

/** A store that keeps all promises but one. */
export interface BrokenStore {
  /** What it breaks. */
  readonly breaks: string
  readonly make: (clock: Clock) => Promise<Store>
  readonly options?: TestStoreOptions
  /** Cases of the contract that name the promise: each of them refuses it. */
  readonly refusedBy: readonly string[]
}

/** The engine that all of them wrap. */
export async function goodStore(clock: Clock): Promise<Store> {
  return sqliteStore({ file: ':memory:', clock, countedKinds: ['thing', 'other'] })
}

/** A store that hands every call to another one, but for what `other` does itself. */
function over(store: Store, other: Partial<Store>): Store {
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(Reflect.has(other, name) ? other : target, name)
      // Its methods need the store as their `this`.
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
}

function broken(change: (store: Store) => Partial<Store>): BrokenStore['make'] {
  return async (clock) => {
    const store = await goodStore(clock)
    return over(store, change(store))
  }
}

/** Reads and deletes in two steps. */
async function takeInTwo<Value>(store: Store, key: Key): Promise<Value | undefined> {
  const found = await store.get(key)
  await store.write([{ op: 'delete', key }])
  // What callers say that they stored.
  return found as Value | undefined
}

function withoutRevision(changes: readonly Change[]): Change[] {
  return changes.map(({ ifRevision: _, ...change }) => change)
}

/** Lists what was put once, whatever became of it. */
function forgetfulIndexes(store: Store): Partial<Store> {
  const listed = new Map<IndexKey, Map<Key, StoredRecord>>()
  return {
    async write(changes, options) {
      const result = await store.write(changes, options)
      for (const change of changes) {
        if (change.op !== 'put' || !result.written) continue
        for (const { index } of change.indexes ?? []) {
          const record = { key: change.key, value: change.value, revision: result.revision }
          listed.set(index, (listed.get(index) ?? new Map()).set(change.key, record))
        }
      }
      return result
    },
    async list<Value>(index: IndexKey) {
      // What callers say that they stored.
      return { records: [...(listed.get(index)?.values() ?? [])] } as unknown as Page<never> & Value
    },
  }
}

/** Orders by UTF-16 units, as `Array.prototype.sort` does. */
function scriptOrder(store: Store): Partial<Store> {
  return {
    async list(index, request) {
      const page = await store.list<never>(index, request)
      const found = await store.inspect(page.records.map(({ key }) => key))
      const sortOf = (key: Key): string =>
        found.find((record) => record?.key === key)?.indexes.find((entry) => entry.index === index)
          ?.sort ?? ''
      const records = page.records.toSorted((one, two) =>
        sortOf(one.key) < sortOf(two.key) ? -1 : 1,
      )
      return { ...page, records }
    },
  }
}

/** The twelve promises of which each broken store breaks one. */
export const BROKEN_STORES: readonly BrokenStore[] = [
  {
    breaks: 'a write is lost after it was acknowledged',
    make: goodStore,
    // Acknowledges what only its memory has.
    options: { openData: goodStore },
    refusedBy: ['loses no write that it acknowledged before it was closed'],
  },
  {
    breaks: 'two callers of take win',
    make: broken((store) => ({ take: (key) => takeInTwo(store, key) })),
    refusedBy: ['gives a record to exactly one that takes it'],
  },
  {
    breaks: 'a revision is not compared',
    make: broken((store) => ({
      write: (changes, options) => store.write(withoutRevision(changes), options),
    })),
    refusedBy: [
      'refuses with another ifRevision when the record is live',
      'lets exactly one replace a revision',
    ],
  },
  {
    breaks: 'half of a write happens',
    make: broken((store) => ({
      async write(changes, options) {
        const result = await store.write(changes, options)
        if (result.written) return result
        for (const change of changes) await store.write([change])
        return result
      },
    })),
    refusedBy: ['writes none of several changes when one may not be'],
  },
  {
    breaks: 'an index entry is left behind',
    make: broken(forgetfulIndexes),
    refusedBy: ['forgets what was deleted or taken'],
  },
  {
    breaks: 'records end by a TTL of the engine alone',
    // The engine's own clock knows nothing of the one that the instants were made with.
    make: async () => goodStore({ now: () => Date.now() }),
    refusedBy: ['lets a record die at its instant'],
  },
  {
    breaks: 'hit opens a window at -1',
    make: broken((store) => ({
      async hit(counter, windowMs, by) {
        if (by === -1) await store.hit(counter, windowMs, 1)
        return store.hit(counter, windowMs, by)
      },
    })),
    refusedBy: ['releases with a negative step, never below 0, opening no window'],
  },
  {
    breaks: 'a repeat of a write id is written twice',
    make: broken((store) => ({ write: (changes) => store.write(changes) })),
    refusedBy: [
      'writes once when the repeats are simultaneous',
      'answers a refusal again, although it would be written now',
    ],
  },
  {
    breaks: 'the bus hides a gap',
    make: broken(({ bus }) => ({
      bus: {
        publish: (channel, message) => bus.publish(channel, message),
        subscribe: (channel, handler) => bus.subscribe(channel, handler),
        onGap: () => () => {},
      },
    })),
    refusedBy: ['takes a message that a handler does not know for a gap'],
  },
  {
    breaks: 'a wake-up is lost whose handler failed',
    make: broken(({ scheduler }) => ({
      scheduler: {
        at: (queue, id, when) => scheduler.at(queue, id, when),
        cancel: (queue, id) => scheduler.cancel(queue, id),
        process: (queue, handler) =>
          scheduler.process(queue, (wakeUp) => handler(wakeUp).catch(() => {})),
      },
    })),
    refusedBy: ['brings a wake-up again whose handler threw'],
  },
  {
    breaks: 'an error is reported as absence',
    make: broken((store) => ({
      async get<Value>(key: Key) {
        try {
          return await store.get<never>(key)
        } catch (error) {
          if (error instanceof StoreUnavailableError) return undefined as Value
          throw error
        }
      },
    })),
    refusedBy: ['makes get throw a StoreUnavailableError'],
  },
  {
    breaks: 'a list has the order of the language',
    make: broken(scriptOrder),
    refusedBy: ['orders by the bytes of the sort, then by key'],
  },
]
