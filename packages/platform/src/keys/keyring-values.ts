import { randomBytes } from 'node:crypto'
import { type Key, recordKey, type Store } from '@svc/store'
import { createDirectory } from '../instances/directory.ts'
import type { InstanceId } from '../instances/instance.ts'
import type { KeyKind } from './keyring.ts'
import type { SealedValue, Sealer } from './sealer.ts'

/** What is stored of one kind: newest first. */
export interface KeySetRecord {
  readonly [name: string]: string | readonly StoredKey[]
  readonly keys: readonly StoredKey[]
}

/** A key of an instance as it is stored. */
export interface StoredKey {
  readonly [name: string]: string | number | undefined
  readonly n: number
  readonly sealed: string
  /** Milliseconds since the epoch; absent on keys of older versions until they sign. */
  readonly createdAt?: number
  /** Milliseconds since the epoch; absent on the key that signs. */
  readonly verifiesUntil?: number
}

/** The kind of record that holds the keys of an instance. */
export const KEY_SET_KIND = 'keys'

export const KEY_KINDS: readonly KeyKind[] = ['access', 'session', 'mail', 'refresh']

/** Those that an instance has from the start; the others are made when they are first asked for. */
export const FIRST_KINDS: readonly KeyKind[] = ['access', 'session', 'mail']

/** An instance of an older version may be without these, and a new one without those it never needed. */
export const LATE_KINDS: ReadonlySet<KeyKind> = new Set(['mail', 'refresh'])

export function keySetKey(id: InstanceId, kind: KeyKind): Key {
  return recordKey(id, KEY_SET_KIND, kind)
}

/** What a key of an instance is sealed for. */
export function keyContext(id: InstanceId, kind: KeyKind, n: number): string {
  return `signing-key:${id}:${kind}.${n}`
}

const KEY_BYTES = 64

/** A key that nobody has seen before. @param n - its number among those of its kind */
export function makeKey(
  { sealer, clock }: { readonly sealer: Sealer; readonly clock: { now(): number } },
  id: InstanceId,
  kind: KeyKind,
  n: number,
): StoredKey {
  const sealed = sealer.seal(randomBytes(KEY_BYTES), keyContext(id, kind, n))
  return { n, sealed, createdAt: clock.now() }
}

/** The number of the key that comes after these. */
export function nextNumber(keys: readonly StoredKey[]): number {
  return Math.max(0, ...keys.map(({ n }) => n)) + 1
}

/** How many instances are looked at: of those that share a store, few differ. @see operation.md 3.2 */
const MAX_INSTANCES = 1000

/** The sealed keys of the first instances. */
export async function* sealedKeyrings(
  store: Store,
  clock: { now(): number },
): AsyncGenerator<SealedValue> {
  const isKept = (): Promise<boolean> => Promise.resolve(true)
  const directory = createDirectory({ store, clock, isKept, subdomains: 'nested' })
  let left = MAX_INSTANCES
  let cursor: string | undefined
  do {
    const page = await directory.list(cursor === undefined ? {} : { cursor })
    for (const id of page.ids.slice(0, left)) yield* keysOf(store, id)
    left -= page.ids.length
    cursor = page.cursor
  } while (cursor !== undefined && left > 0)
}

async function* keysOf(store: Store, id: InstanceId): AsyncGenerator<SealedValue> {
  for (const kind of KEY_KINDS) {
    const record = await store.get<KeySetRecord>(keySetKey(id, kind))
    for (const { n, sealed } of record?.value.keys ?? []) {
      yield { sealed, open: (sealer) => sealer.open(sealed, keyContext(id, kind, n)) }
    }
  }
}
