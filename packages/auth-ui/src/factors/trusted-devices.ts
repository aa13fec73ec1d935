import { DAY_MS, type Instance, randomId } from '@svc/platform'
import {
  type Change,
  indexKey,
  type IndexKey,
  type Key,
  secretKey,
  type Store,
  type StoredRecord,
} from '@svc/store'
import type { Owner } from '../owner/owner.ts'
import type { AuthUiServices } from '../services.ts'
import { readUserAgent } from '../web/request-facts.ts'

/**
 * A browser that skips the second factor. Its record is keyed by the hash of the token and carries the security stamp of
 * its time. Times are milliseconds since the epoch.
 * @see login.md 3.4
 */
export interface TrustedDevice {
  /** Names it in the owner's list; opens nothing. */
  readonly id: string
  /** Such as `Firefox, Linux`; empty when unknown. */
  readonly label: string
  readonly createdAt: number
  /** Written down at most once a day. */
  readonly lastUsed: number
}

type DeviceRecord = { readonly stamp: string } & Pick<TrustedDevice, keyof TrustedDevice>

const TOKEN = /^[A-Za-z0-9_-]{43}$/
const TOKEN_BYTES = 32
const BATCH = 100
/** Of an instance. @see operation.md 8.1 */
const MAX_DEVICES = 50

type Services = Pick<AuthUiServices, 'clock' | 'lifetimes' | 'store'>

/**
 * The device of a token, whose use is noted. Its secret dies with the passphrase, after 90 days, and one by one.
 * @param token - from outside; anything that is no live token is none
 */
export async function findTrustedDevice(
  services: Pick<Services, 'clock' | 'store'>,
  instance: Instance,
  owner: Owner,
  token: string,
): Promise<TrustedDevice | undefined> {
  if (!TOKEN.test(token)) return undefined
  const record = await services.store.get<DeviceRecord>(keyOf(instance, token))
  if (record === undefined || record.value.stamp !== owner.securityStamp) return undefined
  await noteUse(services, instance, record)
  return toDevice(record.value)
}

/** Trusts a browser. @param also - more changes of the same write @returns its token: 43 characters, base64url */
export async function trustDevice(
  { store, clock, lifetimes }: Services,
  instance: Instance,
  owner: Owner,
  userAgent: string,
  also: readonly Change[] = [],
): Promise<string> {
  const token = randomId(TOKEN_BYTES)
  const now = clock.now()
  const { os, browser } = readUserAgent(userAgent)
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
    ...also,
  ])
  await endUnused(store, instance)
  return token
}

/** Those unused for longest go when there are too many; the new one was used just now. */
async function endUnused(store: Store, instance: Instance): Promise<void> {
  const all = await allRecords(store, instance)
  const unused = all
    .toSorted((one, other) => one.value.lastUsed - other.value.lastUsed)
    .slice(0, Math.max(0, all.length - MAX_DEVICES))
  if (unused.length > 0) await store.write(unused.map(({ key }) => ({ op: 'delete', key })))
}

/** Newest first; those of an earlier passphrase are left out. */
export async function listTrustedDevices(
  { store }: Pick<Services, 'store'>,
  instance: Instance,
  owner: Owner,
): Promise<readonly TrustedDevice[]> {
  return (await allRecords(store, instance))
    .filter(({ value }) => value.stamp === owner.securityStamp)
    .map(({ value }) => toDevice(value))
}

/** False when there was none. @param also - more changes of the same write */
export async function removeTrustedDevice(
  { store }: Pick<Services, 'store'>,
  instance: Instance,
  id: string,
  also: (device: TrustedDevice) => readonly Change[] = () => [],
): Promise<boolean> {
  const record = (await allRecords(store, instance)).find(({ value }) => value.id === id)
  if (record === undefined) return false
  const removal = { op: 'delete', key: record.key, ifPresent: true } as const
  return (await store.write([removal, ...also(toDevice(record.value))])).written
}

/** Trusts no browser any more. */
export async function removeTrustedDevices(
  { store }: Pick<Services, 'store'>,
  instance: Instance,
): Promise<void> {
  const keys = (await allRecords(store, instance)).map(({ key }) => key)
  for (let at = 0; at < keys.length; at += BATCH) {
    const some = keys.slice(at, at + BATCH)
    await store.write(some.map((key) => ({ op: 'delete', key })))
  }
}

/** Once a day; whoever changed it meanwhile, or took it away, wins. */
async function noteUse(
  { store, clock }: Pick<Services, 'clock' | 'store'>,
  instance: Instance,
  record: StoredRecord<DeviceRecord>,
): Promise<void> {
  const { key, value, revision, expiresAt } = record
  const now = clock.now()
  if (now - value.lastUsed < DAY_MS) return
  await store.write([
    {
      op: 'put',
      key,
      value: { ...value, lastUsed: now },
      ifRevision: revision,
      ...(expiresAt === undefined ? {} : { expiresAt }),
      indexes: [{ index: indexOf(instance), sort: sortOf(value) }],
    },
  ])
}

async function allRecords(
  store: Store,
  instance: Instance,
): Promise<readonly StoredRecord<DeviceRecord>[]> {
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
