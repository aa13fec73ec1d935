import { createSecretKey } from 'node:crypto'
import type { Change, Key, Revision, Store, StoredRecord } from '@svc/store'
import { LRUCache } from 'lru-cache'
import type { Instance, InstanceId } from '../instances/instance.ts'
import { instanceKey } from '../instances/instance-record.ts'
import {
  CACHE_TRUST_MS,
  CLOCK_SKEW_MS,
  LONGEST_ROTATING_GRANT_MS,
  LONGEST_TOKEN_MS,
} from '../lifetimes.ts'
import type { PlatformLog } from '../log/log-events.ts'
import { isDue, SIGNING_KEY_MS } from './key-age.ts'
import type { Keyring, KeyKind, RotateOptions, SigningKey } from './keyring.ts'
import {
  FIRST_KINDS,
  KEY_KINDS,
  keyContext,
  type KeySetRecord,
  keySetKey,
  LATE_KINDS,
  makeKey,
  nextNumber,
  type StoredKey,
} from './keyring-values.ts'
import type { Sealer } from './sealer.ts'

export interface KeyringOptions {
  readonly store: Store
  readonly sealer: Sealer
  readonly clock: { now(): number }
  /** Instances whose key sets are kept in process. @defaultValue `500` */
  readonly cacheSize?: number
  /** How old an access key may become, milliseconds; 0: never replaced by itself. @defaultValue 90 days */
  readonly signingKeyMs?: number
  readonly log?: Pick<PlatformLog, 'info' | 'warn'>
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
  readonly keys: readonly KnownKey[]
}

type KnownKey = SigningKey & Pick<StoredKey, 'createdAt' | 'n' | 'verifiesUntil'>

interface Cached {
  set: KeySet
  checkedAt: number
}

type CachedSets = Partial<Record<KeyKind, Cached>>

const CHANNEL = 'oauth.keys'
const MESSAGE_PREFIX = Buffer.from('2:')
/** How long a replaced key verifies: until the last that it made is dead on every clock. */
const GRACE_MS = {
  access: LONGEST_TOKEN_MS + 2 * CLOCK_SKEW_MS,
  refresh: LONGEST_ROTATING_GRANT_MS + 2 * CLOCK_SKEW_MS,
} as const

/**
 * The keys of every instance. Read from memory; what is there is dropped when another process rotates, and compared
 * with the store when it is a second old.
 * @example
 * const keyring = createKeyring({ store, sealer: createSealer(keys), clock })
 * await keyring.close()
 */
export function createKeyring(options: KeyringOptions): StoredKeyring {
  const { store, sealer, clock, log, signingKeyMs = SIGNING_KEY_MS } = options
  // Every guarded request looks here: an id is found without a key being put together.
  const cache = new LRUCache<InstanceId, CachedSets>({ max: options.cacheSize ?? 500 })
  const reads = new Map<Key, Promise<KeySet>>()

  const listening = store.bus.subscribe(CHANNEL, (id) => {
    if (typeof id !== 'string') return 'unknown'
    forget(id as InstanceId) // Published by `replaced`.
    options.onReplaced?.(id as InstanceId)
    return undefined
  })
  // Without the bus the age of what is cached is still bounded.
  listening.catch(() => {})
  const stopGaps = store.bus.onGap(() => cache.clear())

  function forget(id: InstanceId): void {
    cache.delete(id)
    // A read under way may have seen the state of before.
    for (const kind of KEY_KINDS) reads.delete(keySetKey(id, kind))
  }

  async function load(id: InstanceId, kind: KeyKind): Promise<KeySet> {
    const key = keySetKey(id, kind)
    const running = reads.get(key)
    if (running !== undefined) return running
    const read = readSet(id, kind, cache.get(id)?.[kind]?.set)
    reads.set(key, read)
    const checkedAt = clock.now()
    try {
      const set = await read
      if (reads.get(key) === read) cache.set(id, { ...cache.get(id), [kind]: { set, checkedAt } })
      return set
    } finally {
      if (reads.get(key) === read) reads.delete(key)
    }
  }

  async function readSet(id: InstanceId, kind: KeyKind, known?: KeySet): Promise<KeySet> {
    const record = await readRecord(id, kind)
    if (record.revision === known?.revision) return known
    const keys = record.value.keys.map(({ n, sealed, createdAt, verifiesUntil }) => {
      const secret = ownMemory(sealer.open(sealed, keyContext(id, kind, n)))
      return {
        kid: `${kind}.${n}`,
        n,
        secret,
        hmacKey: createSecretKey(secret),
        messageKey: createSecretKey(Buffer.concat([MESSAGE_PREFIX, secret])),
        ...(createdAt !== undefined && { createdAt }),
        ...(verifiesUntil !== undefined && { verifiesUntil }),
      }
    })
    return { revision: record.revision, keys }
  }

  async function readRecord(id: InstanceId, kind: KeyKind): Promise<StoredRecord<KeySetRecord>> {
    const key = keySetKey(id, kind)
    let record = await store.get<KeySetRecord>(key)
    if (record === undefined && LATE_KINDS.has(kind)) {
      // Of processes that do this at once, one does.
      const value: KeySetRecord = { keys: [newKey(id, kind, 1)] }
      await store.write([
        { op: 'check', key: instanceKey(id), ifPresent: true },
        { op: 'put', key, value, ifAbsent: true },
      ])
      record = await store.get<KeySetRecord>(key)
    }
    if (record === undefined) throw new Error(`instance ${id} has no ${kind} key`)
    return record
  }

  function keySet(id: InstanceId, kind: KeyKind): KeySet | Promise<KeySet> {
    const cached = cache.get(id)?.[kind]
    const age = cached === undefined ? Number.POSITIVE_INFINITY : clock.now() - cached.checkedAt
    if (cached !== undefined && age >= 0 && age < CACHE_TRUST_MS) return cached.set
    return load(id, kind)
  }

  const newKey = (id: InstanceId, kind: KeyKind, n: number): StoredKey =>
    makeKey({ sealer, clock }, id, kind, n)

  async function front(id: InstanceId, kind: KeyKind): Promise<KnownKey> {
    const [first] = (await keySet(id, kind)).keys
    if (first === undefined) throw new Error(`instance ${id} has no ${kind} key`)
    return first
  }

  async function current(instance: Instance, kind: KeyKind): Promise<SigningKey> {
    const { id } = instance
    const first = await front(id, kind)
    if (kind !== 'access' || signingKeyMs === 0) return first
    const now = clock.now()
    if (first.createdAt !== undefined && !isDue(id, first.createdAt, signingKeyMs, now)) {
      return first
    }
    try {
      // One of an older version counts as made now. @see operation.md 3.9
      if (first.createdAt === undefined) await stamp(id, kind, now)
      else await rotate(instance, { madeBefore: first.createdAt + 1 })
      return await front(id, kind)
    } catch (cause) {
      // The old one is as good for one more token; whoever signs next tries again.
      log?.warn('keys.rotation_failed', { domain: instance.domain, cause: String(cause) })
      return first
    }
  }

  async function stamp(id: InstanceId, kind: KeyKind, createdAt: number): Promise<void> {
    const { key, value, revision: ifRevision } = await readRecord(id, kind)
    const keys = value.keys.map((each) => ({ createdAt, ...each }))
    await store.write([{ op: 'put', key, value: { keys }, ifRevision }])
    forget(id)
  }

  function find(
    instance: Instance,
    kind: KeyKind,
    kid: string,
  ): SigningKey | undefined | Promise<SigningKey | undefined> {
    const set = keySet(instance.id, kind)
    const key = set instanceof Promise ? undefined : pick(set, kid)
    return key === undefined ? findAnew(instance, kind, kid, set) : verifying(key)
  }

  async function findAnew(
    instance: Instance,
    kind: KeyKind,
    kid: string,
    set: KeySet | Promise<KeySet>,
  ): Promise<SigningKey | undefined> {
    let key = pick(await set, kid)
    if (key === undefined) {
      // Another process may have rotated within this second: look once more before refusing its tokens. A read that was
      // under way may have come before that, so it does not count.
      await reads.get(keySetKey(instance.id, kind))?.catch(() => {})
      key = pick(await load(instance.id, kind), kid)
    }
    return key && verifying(key)
  }

  function verifying(key: KnownKey): SigningKey | undefined {
    return key.verifiesUntil !== undefined && key.verifiesUntil <= clock.now() ? undefined : key
  }

  async function replaced(instance: Pick<Instance, 'id'>): Promise<void> {
    forget(instance.id)
    await store.bus.publish(CHANNEL, instance.id)
  }

  /**
   * The change that puts a new key in front, computed from the stored state; undefined when that has a key already that
   * is new enough.
   */
  async function replacement(
    id: InstanceId,
    kind: KeyKind,
    keep: (key: StoredKey) => StoredKey | undefined,
    madeBefore: number = Number.POSITIVE_INFINITY,
  ): Promise<Change | undefined> {
    const { key, value, revision: ifRevision } = await readRecord(id, kind)
    if ((value.keys[0]?.createdAt ?? 0) >= madeBefore) return undefined
    const kept = value.keys.map(keep).filter((old) => old !== undefined)
    const keys = [newKey(id, kind, nextNumber(value.keys)), ...kept]
    return { op: 'put', key, value: { keys }, ifRevision }
  }

  async function putInFront(
    instance: Instance,
    kind: KeyKind,
    keep: (key: StoredKey) => StoredKey | undefined,
    madeBefore?: number,
  ): Promise<void> {
    // A lost race means that another rotation happened meanwhile: this one comes after it.
    for (;;) {
      const change = await replacement(instance.id, kind, keep, madeBefore)
      if (change === undefined) return forget(instance.id)
      if ((await store.write([change])).written) break
    }
    log?.info('keys.rotated', { domain: instance.domain, kind })
    await replaced(instance)
  }

  function rotate(
    instance: Instance,
    { kind = 'access', revoke = false, madeBefore }: RotateOptions = {},
  ): Promise<void> {
    const now = clock.now()
    const keep = (key: StoredKey): StoredKey | undefined => {
      if (revoke || (key.verifiesUntil ?? now) < now) return undefined
      return { ...key, verifiesUntil: key.verifiesUntil ?? now + GRACE_MS[kind] }
    }
    return putInFront(instance, kind, keep, madeBefore)
  }

  return {
    current,
    find,
    create: (id) =>
      FIRST_KINDS.map((kind) => ({
        op: 'put',
        key: keySetKey(id, kind),
        value: { keys: [newKey(id, kind, 1)] },
        ifAbsent: true,
      })),
    async replaceSessionKey({ id }) {
      const change = await replacement(id, 'session', () => undefined)
      return change === undefined ? [] : [change]
    },
    replaced,
    rotate,
    replace: (instance, kind, { madeBefore } = {}) =>
      putInFront(instance, kind, () => undefined, madeBefore),
    close: async () => {
      stopGaps()
      const stopListening = await listening.catch(() => undefined)
      await stopListening?.()
    },
  }
}

function pick({ keys }: KeySet, kid: string): KnownKey | undefined {
  return keys.find((key) => key.kid === kid)
}

/** Node cuts small buffers out of slabs of 64 KiB, and each one that is kept keeps its slab. */
function ownMemory(secret: Buffer): Buffer {
  const copy = Buffer.alloc(secret.length)
  secret.copy(copy)
  return copy
}
