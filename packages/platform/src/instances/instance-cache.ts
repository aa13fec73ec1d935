import { LRUCache } from 'lru-cache'
import { CACHE_TRUST_MS } from '../lifetimes.ts'
import type { Instance, InstanceId } from './instance.ts'

interface Cached {
  readonly instance: Instance
  readonly readAt: number
}

/** Reads an instance's record, past the cache; answers `known` itself when nothing changed. */
export type InstanceReader = (
  id: InstanceId,
  known: Instance | undefined,
) => Promise<Instance | undefined>

/** Instances of this process: bounded, and never older than a second. */
export interface InstanceCache {
  byId(id: InstanceId): Promise<Instance | undefined>
  /** The cached instance that has this domain or alias, where it is fresh enough to be used as it is. */
  known(host: string): Instance | undefined
  /** The cached instance that has this domain or alias, whatever its age: its id is worth reading. */
  idOfHost(host: string): InstanceId | undefined
  forget(id: InstanceId): void
  clear(): void
}

/** @param size - instances kept */
export function createInstanceCache(
  size: number,
  clock: { now(): number },
  read: InstanceReader,
): InstanceCache {
  const hosts = new Map<string, InstanceId>()
  const cache = new LRUCache<InstanceId, Cached>({
    max: size,
    dispose: ({ instance }) => {
      for (const host of hostsOf(instance)) {
        if (hosts.get(host) === instance.id) hosts.delete(host)
      }
    },
  })
  const reads = new Map<InstanceId, Promise<Instance | undefined>>()

  function keep(instance: Instance, readAt: number): void {
    cache.set(instance.id, { instance, readAt })
    for (const host of hostsOf(instance)) hosts.set(host, instance.id)
  }

  async function load(id: InstanceId): Promise<Instance | undefined> {
    const running = reads.get(id)
    if (running !== undefined) return running
    const readAt = clock.now()
    const reading = read(id, cache.peek(id)?.instance)
    reads.set(id, reading)
    try {
      const instance = await reading
      // Forgotten meanwhile: what was read may be the state of before.
      if (reads.get(id) === reading) {
        if (instance === undefined) cache.delete(id)
        else keep(instance, readAt)
      }
      return instance
    } finally {
      if (reads.get(id) === reading) reads.delete(id)
    }
  }

  function fresh(id: InstanceId): Instance | undefined {
    const cached = cache.get(id)
    const age = cached === undefined ? -1 : clock.now() - cached.readAt
    return age >= 0 && age < CACHE_TRUST_MS ? cached?.instance : undefined
  }

  return {
    byId: async (id) => fresh(id) ?? load(id),
    known(host) {
      const id = hosts.get(host)
      return id === undefined ? undefined : fresh(id)
    },
    idOfHost: (host) => hosts.get(host),
    forget(id) {
      cache.delete(id)
      reads.delete(id)
    },
    clear() {
      cache.clear()
      reads.clear()
    },
  }
}

function hostsOf(instance: Instance): readonly string[] {
  return [instance.domain, ...instance.aliases]
}
