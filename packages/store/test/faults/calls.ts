import { recordKey, type Store } from '../../src/index.ts'

export type Call = (store: Store) => Promise<unknown>

/** The record that the calls read and write. */
export const key = recordKey('i', 'thing', 'a')

/** One call of each kind: it reads, writes, writes what may be sent again, counts, or looks whether the store works. */
export const CALLS: Readonly<Record<string, Call>> = {
  get: (store) => store.get(key),
  write: (store) => store.write([{ op: 'put', key, value: 1 }]),
  'write with an id': (store) =>
    store.write([{ op: 'put', key, value: 1 }], { id: crypto.randomUUID() }),
  hit: (store) => store.hit(recordKey('i', 'counter', 'a'), 60_000),
  health: (store) => store.health(),
}
