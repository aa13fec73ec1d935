import {
  type Change,
  type IndexKey,
  indexKey,
  type Key,
  type Page,
  type PageRequest,
  recordKey,
  type Revision,
  type Store,
  type StoredRecord,
} from '@svc/store'
import { shardOf, SHARDS, shardTag } from './host-shards.ts'
import type { InstanceId, Subdomains } from './instance.ts'
import { InstanceError } from './instance-error.ts'
import { conflictOf, forgetHost, type NestingServices, noteHosts } from './nesting.ts'

/** A claim whose instance never came into being is free again after this. Milliseconds. */
const ABANDONED_MS = 60_000

interface HostRecord {
  readonly [name: string]: string | number | boolean
  readonly id: InstanceId
  readonly isDomain: boolean
  readonly claimedAt: number
}

/**
 * Which host belongs to which instance: one record per domain or alias, spread over shards, claimed one by one.
 * @see decision D56
 */
export interface Directory {
  find(host: string): Promise<InstanceId | undefined>
  /**
   * Claims hosts for an instance, all or none; none that shares cookies with another instance's.
   * @throws InstanceError `domain_taken`
   */
  claim(id: InstanceId, hosts: readonly ClaimedHost[]): Promise<void>
  /**
   * Which host of an instance keeps this one from being claimed: the same, or one that shares its cookies. Claims whose
   * instance is not there do not count, however young they are.
   */
  conflict(host: string): Promise<string | undefined>
  /** Frees those of the hosts that are the instance's. */
  release(id: InstanceId, hosts: readonly string[]): Promise<void>
  /** Ids of instances, by shard, then by domain. */
  list(page: PageRequest): Promise<{ ids: readonly InstanceId[]; cursor?: string }>
}

export interface ClaimedHost {
  readonly host: string
  /** Whether it is the instance's domain, not an alias. */
  readonly isDomain: boolean
}

export interface DirectoryOptions {
  readonly store: Store
  readonly subdomains: Subdomains
  readonly clock: { now(): number }
  /** Whether an instance's record exists, for claims left behind by a process that died. */
  readonly isKept: (id: InstanceId) => Promise<boolean>
}

export function createDirectory(options: DirectoryOptions): Directory {
  const { store, subdomains, clock, isKept } = options
  const nesting: NestingServices = { store, subdomains, ownerOf }

  async function claimOne(id: InstanceId, { host, isDomain }: ClaimedHost): Promise<void> {
    const key = hostKey(host)
    const value: HostRecord = { id, isDomain, claimedAt: clock.now() }
    // Only domains are members of the one: each instance is listed once.
    const index = shardIndex(shardOf(host), isDomain ? 'instances' : 'aliases')
    const indexes = [{ index, sort: host.slice(0, 253) }]
    const put: Change = { op: 'put', key, value, indexes }
    if ((await store.write([{ ...put, ifAbsent: true }])).written) return
    const record = await store.get<HostRecord>(key)
    if (record?.value.id === id) return
    const ifRevision = record === undefined ? undefined : await abandoned(record)
    if (ifRevision === undefined || !(await store.write([{ ...put, ifRevision }])).written) {
      throw new InstanceError('domain_taken', `${host} is taken`)
    }
  }

  async function abandoned(record: StoredRecord<HostRecord>): Promise<Revision | undefined> {
    if (clock.now() - record.value.claimedAt < ABANDONED_MS) return undefined
    return (await isKept(record.value.id)) ? undefined : record.revision
  }

  async function ownerOf(host: string): Promise<InstanceId | undefined> {
    const record = await store.get<HostRecord>(hostKey(host))
    if (record === undefined || (await abandoned(record)) !== undefined) return undefined
    return record.value.id
  }

  async function keptOwnerOf(host: string): Promise<InstanceId | undefined> {
    const id = (await store.get<HostRecord>(hostKey(host)))?.value.id
    return id !== undefined && (await isKept(id)) ? id : undefined
  }

  /** After the claim: two that come at the same time cannot both overlook each other. */
  async function refuseNested(id: InstanceId, hosts: readonly string[]): Promise<void> {
    await noteHosts(nesting, id, hosts)
    for (const host of hosts) {
      const other = await conflictOf(nesting, id, host)
      if (other === undefined) continue
      throw new InstanceError(
        'domain_taken',
        `${host} shares cookies with ${other}, which is taken`,
      )
    }
  }

  async function release(id: InstanceId, hosts: readonly string[]): Promise<void> {
    for (const host of hosts) {
      const record = await store.get<HostRecord>(hostKey(host))
      if (record?.value.id !== id) continue
      await store.write([{ op: 'delete', key: record.key, ifRevision: record.revision }])
      await forgetHost(nesting, id, host)
    }
  }

  return {
    find: async (host) => (await store.get<HostRecord>(hostKey(host)))?.value.id,

    async claim(id, hosts) {
      const claimed: string[] = []
      try {
        for (const each of hosts) {
          await claimOne(id, each)
          claimed.push(each.host)
        }
        await refuseNested(id, claimed)
      } catch (error) {
        await release(id, claimed)
        throw error
      }
    },

    conflict: (host) => conflictOf({ ...nesting, ownerOf: keptOwnerOf }, undefined, host),

    release,

    async list({ limit = 100, cursor }) {
      let { shard, after } = readCursor(cursor)
      const ids: InstanceId[] = []
      while (shard < SHARDS && ids.length < limit) {
        const request = { limit: limit - ids.length, ...(after !== undefined && { cursor: after }) }
        const page: Page<HostRecord> = await store.list(shardIndex(shard), request)
        ids.push(...page.records.map((record) => record.value.id))
        after = page.cursor
        if (after === undefined) shard += 1
      }
      return shard < SHARDS ? { ids, cursor: `${shard}.${after ?? ''}` } : { ids }
    },
  }
}

function shardIndex(shard: number, name: 'instances' | 'aliases' = 'instances'): IndexKey {
  return indexKey(shardTag(shard), name)
}

function hostKey(host: string): Key {
  return recordKey(shardTag(shardOf(host)), 'host', host)
}

function readCursor(cursor: string | undefined): { shard: number; after: string | undefined } {
  if (cursor === undefined) return { shard: 0, after: undefined }
  const [, shard, after] = /^(\d{1,2})\.(.*)$/s.exec(cursor) ?? []
  if (shard === undefined || Number(shard) >= SHARDS) throw new TypeError('malformed cursor')
  return { shard: Number(shard), after: after === '' ? undefined : after }
}
