import { createSecretKey, randomBytes } from 'node:crypto'
import type { Change, Key, Revision, Store } from '@svc/store'
import { LRUCache } from 'lru-cache'
import type { Instance, InstanceId } from '../instances/instance.ts'
import { CACHE_TRUST_MS, CLOCK_SKEW_MS, LONGEST_TOKEN_MS } from '../lifetimes.ts'
import type { Keyring, KeyKind, SigningKey } from './keyring.ts'
import {
  KEY_KINDS,
  keyContext,
  type KeySetRecord,
  keySetKey,
  type StoredKey,
} from './keyring-values.ts'
import type { Sealer } from './sealer.ts'

export interface KeyringOptions {
  readonly store: Store
  readonly sealer: Sealer
  readonly clock: { now(): number }
  /** Key sets kept in process, two per instance in use. @defaultValue `1000` */
  readonly cacheSize?: number
  /** Hears of replaced keys in every process, after what was cached is dropped. */
  readonly onReplaced?: (id: InstanceId) => void
}

/** The ring of a host, and how to let go of it. */
export interface StoredKeyring extends Keyring {
  /** Ends the subscription to other processes' rotations. */
  close(): Promise<void>
}

interface KeySet {
  readonly revision: Revision
  readonly keys: readonly (SigningKey & { readonly verifiesUntil?: number })[]
}

interface Cached {
  set: KeySet
  checkedAt: number
}

const CHANNEL = 'oauth.keys'
const KEY_BYTES = 64
/** How long a replaced access key verifies: until the last token it signed is dead on every clock. */
const GRACE_MS = LONGEST_TOKEN_MS + 2 * CLOCK_SKEW_MS

/**
 * The keys of every instance. Read from memory; what is there is dropped when another process rotates, and compared
 * with the store when it is a second old.
 */
export function createKeyring(options: KeyringOptions): StoredKeyring {
  const { store, sealer, clock } = options
  const cache = new LRUCache<Key, Cached>({ max: options.cacheSize ?? 1000 })
  const reads = new Map<Key, Promise<KeySet>>()

  const listening = store.bus.subscribe(CHANNEL, (id) => {
    if (typeof id !== 'string') return
    forget(id as InstanceId) // Published by `replaced`.
    options.onReplaced?.(id as InstanceId)
  })
  // Without the bus the age of what is cached is still bounded.
  listening.catch(() => {})
  const stopGaps = store.bus.onGap(() => cache.clear())

  function forget(id: InstanceId): void {
    for (const kind of ['access', 'session'] as const) {
      cache.delete(keySetKey(id, kind))
      // A read under way may have seen the state of before.
      reads.delete(keySetKey(id, kind))
    }
  }

  async function load(id: InstanceId, kind: KeyKind): Promise<KeySet> {
    const key = keySetKey(id, kind)
    const running = reads.get(key)
    if (running !== undefined) return running
    const read = readSet(id, kind, cache.get(key)?.set)
    reads.set(key, read)
    const checkedAt = clock.now()
    try {
      const set = await read
      if (reads.get(key) === read) cache.set(key, { set, checkedAt })
      return set
    } finally {
      if (reads.get(key) === read) reads.delete(key)
    }
  }

  async function readSet(id: InstanceId, kind: KeyKind, known?: KeySet): Promise<KeySet> {
    const record = await store.get<KeySetRecord>(keySetKey(id, kind))
    if (record === undefined) throw new Error(`instance ${id} has no ${kind} key`)
    if (record.revision === known?.revision) return known
    const keys = record.value.keys.map(({ n, sealed, verifiesUntil }) => {
      const secret = ownMemory(sealer.open(sealed, keyContext(id, kind, n)))
      const key = { kid: `${kind}.${n}`, secret, hmacKey: createSecretKey(secret) }
      return verifiesUntil === undefined ? key : { ...key, verifiesUntil }
    })
    return { revision: record.revision, keys }
  }

  function keySet(id: InstanceId, kind: KeyKind): KeySet | Promise<KeySet> {
    const cached = cache.get(keySetKey(id, kind))
    const age = cached === undefined ? Number.POSITIVE_INFINITY : clock.now() - cached.checkedAt
    if (cached !== undefined && age >= 0 && age < CACHE_TRUST_MS) return cached.set
    return load(id, kind)
  }

  function newKey(id: InstanceId, kind: KeyKind, n: number): StoredKey {
    return { n, sealed: sealer.seal(randomBytes(KEY_BYTES), keyContext(id, kind, n)) }
  }

  async function current(instance: Instance, kind: KeyKind): Promise<SigningKey> {
    const first = (await keySet(instance.id, kind)).keys[0]
    if (first === undefined) throw new Error(`instance ${instance.id} has no ${kind} key`)
    return first
  }

  async function find(
    instance: Instance,
    kind: KeyKind,
    kid: string,
  ): Promise<SigningKey | undefined> {
    const pick = (set: KeySet) => set.keys.find((key) => key.kid === kid)
    let key = pick(await keySet(instance.id, kind))
    // Another process may have rotated within this second: look once more before refusing its tokens.
    key ??= pick(await load(instance.id, kind))
    if (key?.verifiesUntil !== undefined && key.verifiesUntil <= clock.now()) return undefined
    return key
  }

  async function replaced(instance: Instance): Promise<void> {
    forget(instance.id)
    await store.bus.publish(CHANNEL, instance.id)
  }

  /** The change that puts a new key in front, computed from the stored state. */
  async function replacement(
    id: InstanceId,
    kind: KeyKind,
    keep: (key: StoredKey) => StoredKey | undefined,
  ): Promise<Change> {
    const key = keySetKey(id, kind)
    const record = await store.get<KeySetRecord>(key)
    if (record === undefined) throw new Error(`instance ${id} has no ${kind} key`)
    const n = Math.max(...record.value.keys.map((old) => old.n)) + 1
    const kept = record.value.keys.map(keep).filter((old) => old !== undefined)
    const value: KeySetRecord = { keys: [newKey(id, kind, n), ...kept] }
    return { op: 'put', key, value, ifRevision: record.revision }
  }

  async function rotate(instance: Instance, { revoke = false } = {}): Promise<void> {
    const now = clock.now()
    const keep = (key: StoredKey): StoredKey | undefined => {
      if (revoke || (key.verifiesUntil ?? now) < now) return undefined
      return { ...key, verifiesUntil: key.verifiesUntil ?? now + GRACE_MS }
    }
    // A lost race means that another rotation happened meanwhile: this one comes after it.
    for (;;) {
      const { written } = await store.write([await replacement(instance.id, 'access', keep)])
      if (written) break
    }
    await replaced(instance)
  }

  return {
    current,
    find,
    create: (id) =>
      KEY_KINDS.map((kind) => ({
        op: 'put',
        key: keySetKey(id, kind),
        value: { keys: [newKey(id, kind, 1)] },
        ifAbsent: true,
      })),
    replaceSessionKey: async (instance) => [
      await replacement(instance.id, 'session', () => undefined),
    ],
    replaced,
    rotate,
    close: async () => {
      stopGaps()
      const stopListening = await listening.catch(() => undefined)
      await stopListening?.()
    },
  }
}

/** Node cuts small buffers out of slabs of 64 KiB, and each one that is kept keeps its slab. */
function ownMemory(secret: Buffer): Buffer {
  const copy = Buffer.alloc(secret.length)
  secret.copy(copy)
  return copy
}
