import { DAY_MS, type Instance, randomId, type RouteContext } from '@svc/platform'
import {
  indexKey,
  type IndexKey,
  type Key,
  secretKey,
  type Store,
  type StoredRecord,
} from '@svc/store'
import type { Lifetimes } from '../lifetimes.ts'
import type { Owner } from '../owner/owner.ts'
import { readUserAgent } from '../web/request-facts.ts'

/** A browser that skips the second factor. Times are milliseconds since the epoch. @see login.md 3.4 */
export interface TrustedDevice {
  /** Names it in the owner's list; opens nothing. */
  readonly id: string
  /** Such as `Firefox, Linux`; empty when unknown. */
  readonly label: string
  readonly createdAt: number
  /** Written down at most once a day. */
  readonly lastUsed: number
}

/** Browsers that the owner trusts. Their secrets die with the passphrase, after 90 days, and one by one. */
export interface TrustedDevices {
  /**
   * The device of a token, whose use is noted.
   * @param token - from outside; anything that is no live token is none
   */
  find(instance: Instance, owner: Owner, token: string): Promise<TrustedDevice | undefined>
  /** Trusts the request's browser. @returns its token: 43 characters, base64url */
  create(ctx: RouteContext, owner: Owner): Promise<string>
  /** Newest first; those of an earlier passphrase are left out. */
  list(instance: Instance, owner: Owner): Promise<readonly TrustedDevice[]>
  /** False when there was none. */
  remove(instance: Instance, id: string): Promise<boolean>
  removeAll(instance: Instance): Promise<void>
}

/** What {@link createTrustedDevices} needs. */
export interface TrustedDevicesOptions {
  readonly store: Store
  readonly clock: { now(): number }
  readonly lifetimes: Lifetimes
}

type DeviceRecord = { readonly stamp: string } & Pick<TrustedDevice, keyof TrustedDevice>

const TOKEN = /^[A-Za-z0-9_-]{43}$/
const TOKEN_BYTES = 32

/** Records are keyed by the hash of the token and carry the security stamp of their time. */
export function createTrustedDevices(options: TrustedDevicesOptions): TrustedDevices {
  const { store, clock, lifetimes } = options

  /** Once a day; whoever changed it meanwhile, or took it away, wins. */
  async function noteUse(instance: Instance, record: StoredRecord<DeviceRecord>): Promise<void> {
    const { key, value, revision, expiresAt } = record
    const now = clock.now()
    if (now - value.lastUsed < DAY_MS) return
    await store.write([
      {
        ...{ op: 'put', key, value: { ...value, lastUsed: now }, ifRevision: revision },
        ...(expiresAt === undefined ? {} : { expiresAt }),
        indexes: [{ index: indexOf(instance), sort: sortOf(value) }],
      },
    ])
  }

  async function all(instance: Instance): Promise<readonly StoredRecord<DeviceRecord>[]> {
    const records: StoredRecord<DeviceRecord>[] = []
    let cursor: string | undefined
    do {
      const page = await store.list<DeviceRecord>(indexOf(instance), {
        order: 'desc',
        ...(cursor === undefined ? {} : { cursor }),
      })
      records.push(...page.records)
      cursor = page.cursor
    } while (cursor !== undefined)
    return records
  }

  return {
    async find(instance, owner, token) {
      if (!TOKEN.test(token)) return undefined
      const record = await store.get<DeviceRecord>(keyOf(instance, token))
      if (record === undefined || record.value.stamp !== owner.securityStamp) return undefined
      await noteUse(instance, record)
      return toDevice(record.value)
    },
    async create(ctx, owner) {
      const { instance } = ctx.state
      const token = randomId(TOKEN_BYTES)
      const now = clock.now()
      const { os, browser } = readUserAgent(ctx.get('User-Agent'))
      const value: DeviceRecord = {
        id: randomId(),
        label: [browser, os].filter((part) => part !== '').join(', '),
        createdAt: now,
        lastUsed: now,
        stamp: owner.securityStamp,
      }
      await store.write([
        {
          op: 'put',
          key: keyOf(instance, token),
          value,
          expiresAt: now + lifetimes.trustedDevice,
          indexes: [{ index: indexOf(instance), sort: sortOf(value) }],
        },
      ])
      return token
    },
    async list(instance, owner) {
      return (await all(instance))
        .filter(({ value }) => value.stamp === owner.securityStamp)
        .map(({ value }) => toDevice(value))
    },
    async remove(instance, id) {
      const record = (await all(instance)).find(({ value }) => value.id === id)
      if (record === undefined) return false
      return (await store.write([{ op: 'delete', key: record.key, ifPresent: true }])).written
    },
    async removeAll(instance) {
      const keys = (await all(instance)).map(({ key }) => key)
      for (let at = 0; at < keys.length; at += BATCH) {
        const some = keys.slice(at, at + BATCH)
        await store.write(some.map((key) => ({ op: 'delete', key })))
      }
    },
  }
}

const BATCH = 100

function toDevice({ stamp: _stamp, ...device }: DeviceRecord): TrustedDevice {
  return device
}

function keyOf(instance: Instance, token: string): Key {
  return secretKey(instance.id, 'trusted-device', token)
}

function indexOf(instance: Instance): IndexKey {
  return indexKey(instance.id, 'trusted-devices')
}

function sortOf({ createdAt, id }: TrustedDevice): string {
  return `${String(createdAt).padStart(15, '0')}:${id}`
}
