import { type Change, type Store, StoreUnavailableError } from '@svc/store'
import { randomId } from '../secrets.ts'
import { createDirectory, type Directory } from './directory.ts'
import { normalizeDomain } from './domain.ts'
import {
  claimExternalId,
  type ExternalIdClaim,
  type ExternalIdServices,
  findExternalId,
  presentClaim,
  releaseClaim,
} from './external-ids.ts'
import type { Instance, InstanceId } from './instance.ts'
import { createInstanceCache } from './instance-cache.ts'
import { InstanceError } from './instance-error.ts'
import {
  type Addressing,
  checkSettings,
  instanceKey,
  type StoredInstance,
  toInstance,
  updateRecord,
} from './instance-record.ts'
import { instanceFaults } from './instance-faults.ts'
import type { InstanceRule, Instances, InstanceUpdate, NewInstance } from './instances.ts'
import { createRemoval } from './removal.ts'
import type { PlatformLog } from '../log/log-events.ts'

export interface InstancesOptions extends Addressing {
  readonly store: Store
  /** Removes the records of an instance that nobody else removed. @see RemovalOptions */
  readonly removeRest?: (id: InstanceId) => Promise<void>
  /** The first keys of a new instance: changes that join the write that creates it. */
  readonly keyring: { create(id: InstanceId): readonly Change[] }
  readonly clock: { now(): number }
  readonly log: PlatformLog
  /** Records kept in process. @defaultValue `1000` */
  readonly cacheSize?: number
  /** Hears of changed and removed instances in every process, after what was cached is dropped. */
  readonly onChanged?: (id: InstanceId) => void
}

/** {@link Instances} with the life of the process. */
export interface InstanceStore extends Instances {
  /** Goes on with removals that were cut short. */
  start(): Promise<void>
  close(): Promise<void>
  /** The instance that has this host, where that is known without a look at the store. */
  known(host: string): Instance | undefined
  readonly directory: Directory
  /** Drops what is cached of an instance, in every process. */
  forget(id: InstanceId): Promise<void>
  /** The same, where nothing changed but whether it is frozen: nobody has to do anything about that. */
  forgetFrozen(id: InstanceId): Promise<void>
}

const CHANNEL = 'oauth.instances'
const MAX_ALIASES = 20

/** Instances on a store. */
export function createInstances(options: InstancesOptions): InstanceStore {
  const { store, keyring, clock } = options
  const directory = createDirectory({
    store,
    clock,
    subdomains: options.subdomains,
    isKept: async (id) => (await store.get(instanceKey(id))) !== undefined,
  })
  const externalIds: ExternalIdServices = { store, clock, recordOf: fresh }
  const cache = createInstanceCache(options.cacheSize ?? 1000, clock, async (id, known) => {
    const record = await store.get<StoredInstance>(instanceKey(id))
    if (record === undefined || record.revision === known?.revision) return record && known
    return toInstance(record, options)
  })
  const removal = createRemoval({
    removeRest: async () => {},
    ...options,
    directory,
    markDeleting,
    byId: cache.byId,
    forget,
  })

  const listening = store.bus.subscribe(CHANNEL, (id) => {
    const frozen = id !== null && typeof id === 'object' && 'frozen' in id ? id.frozen : undefined
    if (typeof frozen === 'string') {
      cache.forget(frozen as InstanceId) // Published by `forgetFrozen`.
      return undefined
    }
    if (typeof id !== 'string') return 'unknown'
    cache.forget(id as InstanceId) // Published by `forget`.
    options.onChanged?.(id as InstanceId)
    return undefined
  })
  // Without the bus the age of what is cached is still bounded.
  listening.catch(() => {})
  const stopGaps = store.bus.onGap(() => cache.clear())

  async function forget(id: InstanceId): Promise<void> {
    cache.forget(id)
    await store.bus.publish(CHANNEL, id)
  }

  async function forgetFrozen(id: InstanceId): Promise<void> {
    cache.forget(id)
    await store.bus.publish(CHANNEL, { frozen: id })
  }

  function known(host: string): Instance | undefined {
    const instance = cache.known(host)
    return instance !== undefined && hasHost(instance, host) ? instance : undefined
  }

  async function byHost(host: string): Promise<Instance | undefined> {
    const known = cache.idOfHost(host)
    if (known !== undefined) {
      const instance = await cache.byId(known)
      if (instance !== undefined && hasHost(instance, host)) return instance
    }
    const id = host === '' || host.length > 260 ? undefined : await directory.find(host)
    const instance = id === undefined ? undefined : await cache.byId(id)
    return instance !== undefined && hasHost(instance, host) ? instance : undefined
  }

  function normalize(hosts: readonly string[]): string[] {
    if (hosts.length > MAX_ALIASES + 1) throw new TypeError(`at most ${MAX_ALIASES} aliases`)
    return [...new Set(hosts.map((host) => normalizeDomain(host, options)))]
  }

  async function fresh(id: InstanceId): Promise<StoredInstance | undefined> {
    return (await store.get<StoredInstance>(instanceKey(id)))?.value
  }

  async function byExternalId(externalId: string): Promise<Instance | undefined> {
    const id = await findExternalId({ store }, externalId)
    const instance = id === undefined ? undefined : await cache.byId(id)
    return instance?.externalId === externalId ? instance : undefined
  }

  async function create(
    input: NewInstance,
    also: (id: InstanceId) => readonly Change[] = () => [],
  ): Promise<Instance> {
    const {
      domain: asked,
      aliases: askedAliases = [],
      locale = 'en',
      settings = {},
      ...rest
    } = input
    checkSettings({ ...rest, locale })
    const [domain = '', ...aliases] = normalize([asked, ...askedAliases])
    const id = randomId(16) as InstanceId // The one place where ids are made.
    const now = clock.now()
    const base = {
      id,
      domain,
      aliases,
      locale,
      settings,
      status: 'active',
      createdAt: now,
    } as const
    const value = updateRecord({ ...base, updatedAt: now }, rest, aliases, now)
    const changes: Change[] = [
      { op: 'put', key: instanceKey(id), value, ifAbsent: true },
      ...keyring.create(id),
      ...also(id),
    ]
    const claims = aliases.map((host) => ({ host, isDomain: false }))
    const { externalId } = rest
    await directory.claim(id, [{ host: domain, isDomain: true }, ...claims])
    let claim: ExternalIdClaim | undefined
    try {
      if (externalId !== undefined) claim = await claimExternalId(externalIds, id, externalId)
      const result = await writeSurely(store, changes)
      if (!result.written) throw new Error(`the record ${result.failed} exists already`)
      return toInstance({ key: instanceKey(id), value, revision: result.revision }, options)
    } catch (error) {
      // Outcome unknown: claims of an instance that is not there count as abandoned later.
      if (!(error instanceof StoreUnavailableError)) {
        await releaseClaim(externalIds, claim)
        await directory.release(id, [domain, ...aliases])
      }
      throw error
    }
  }

  function change(id: InstanceId, update: InstanceUpdate): Promise<Instance> {
    return changeWith(id, async () => ({ update, also: [] }))
  }

  async function changeWith(id: InstanceId, rule: InstanceRule): Promise<Instance> {
    const claimed = new Set<string>()
    try {
      for (let attempt = 0; attempt < 20; attempt += 1) {
        const changed = await tryChange(id, rule, claimed)
        if (changed !== undefined) return changed
      }
      throw new InstanceError('instance_busy', 'too many changes of one instance at a time')
    } finally {
      // A parallel change may have wanted the same alias: what the record names now stays.
      const kept = await fresh(id)
      await directory.release(
        id,
        [...claimed].filter((host) => kept?.aliases.includes(host) !== true),
      )
    }
  }

  /** One attempt; undefined when another change came first. What may have to be freed goes into `touched`. */
  async function tryChange(
    id: InstanceId,
    rule: InstanceRule,
    touched: Set<string>,
  ): Promise<Instance | undefined> {
    const record = await store.get<StoredInstance>(instanceKey(id))
    if (record === undefined) throw new InstanceError('instance_not_found', 'no such instance')
    const { key, revision: ifRevision, value: old } = record
    const { update, also } = await rule(toInstance(record, options))
    if (old.status === 'deleting' && update.status !== 'deleting') {
      throw new InstanceError('instance_not_found', 'the instance is being removed')
    }
    const aliases = normalize([old.domain, ...(update.aliases ?? old.aliases)]).slice(1)
    const added = aliases.filter((alias) => !old.aliases.includes(alias))
    for (const host of added) {
      await directory.claim(id, [{ host, isDomain: false }])
      touched.add(host)
    }
    const value = updateRecord(old, update, aliases, clock.now())
    const isOther = value.externalId !== old.externalId
    const before = isOther ? await presentClaim(externalIds, old) : undefined
    // A change that fails leaves its claim to run out: a parallel one may rely on it by now.
    if (isOther && value.externalId) await claimExternalId(externalIds, id, value.externalId)
    const result = await store.write([{ op: 'put', key, value, ifRevision }, ...also])
    if (!result.written) return undefined
    for (const alias of old.aliases) touched.add(alias)
    await forget(id)
    await releaseClaim(externalIds, before)
    return toInstance({ key, value, revision: result.revision }, options)
  }

  async function markDeleting(id: InstanceId): Promise<Instance | undefined> {
    if ((await store.get(instanceKey(id))) === undefined) return undefined
    return change(id, { status: 'deleting' })
  }

  return {
    create,
    check: (input) => instanceFaults({ directory, addressing: options, byExternalId }, input),
    byHost,
    known,
    byExternalId,
    byId: cache.byId,
    async list(page = {}) {
      const { ids, cursor } = await directory.list(page)
      const found = await Promise.all(
        ids.map((id) => store.get<StoredInstance>(instanceKey(id))), // Not through the cache: a list is no use.
      )
      const instances = found.flatMap((record) => (record ? [toInstance(record, options)] : []))
      return cursor === undefined ? { instances } : { instances, cursor }
    },
    async update(id, update) {
      checkSettings(update)
      if (update.status === 'deleting') throw new TypeError('instances are removed by remove()')
      if (update.status === 'importing') throw new TypeError('instances are imported')
      return change(id, update)
    },
    changeWith: (id, rule) =>
      changeWith(id, async (current) => {
        const wanted = await rule(current)
        checkSettings(wanted.update)
        return wanted
      }),
    remove: removal.remove,
    onRemove: removal.onRemove,
    directory,
    forget,
    forgetFrozen,
    normalize: (domain) => normalizeDomain(domain, options),
    fresh,
    start: removal.start,
    async close() {
      stopGaps()
      await removal.stop()
      const stopListening = await listening.catch(() => undefined)
      await stopListening?.()
    },
  }
}

function hasHost(instance: Instance, host: string): boolean {
  return instance.domain === host || instance.aliases.includes(host)
}

/** An answer that got lost is asked for once more: the write id makes that harmless (D6). */
async function writeSurely(store: Store, changes: readonly Change[]) {
  const id = randomId(16)
  try {
    return await store.write(changes, { id })
  } catch (error) {
    if (!(error instanceof StoreUnavailableError)) throw error
    return store.write(changes, { id })
  }
}
