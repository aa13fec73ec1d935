import type { Clock, Store } from '@svc/store'
import { ConfigError } from '../config/config.ts'
import { PRODUCT_VERSION } from '../processes/product-version.ts'
import { STORE_VERSIONS } from '../processes/store-versions.ts'
import type { UpgradeStep } from './migrate-records.ts'
import { putStoreRecord, readStoreRecord, type StoreRecord } from './store-record.ts'

/** What a version of the product knows of stores. */
export interface KnownVersions {
  /** Of the product. */
  readonly product: string
  /** Oldest and newest version of a store that it reads. */
  readonly reads: readonly [oldest: number, newest: number]
  /** The version that it raises stores to. */
  readonly writes: number
  /** Oldest product that reads the version written. */
  readonly oldestProduct: string
  /** The product that raises a store which is too old for this one, by version of the store. */
  readonly through: Readonly<Record<number, string>>
  /** How records are brought to each later version. */
  readonly steps: readonly UpgradeStep[]
}

/** What this product knows. @see operation.md 5.1 */
export const KNOWN_VERSIONS: KnownVersions = {
  product: PRODUCT_VERSION,
  ...STORE_VERSIONS,
  oldestProduct: '0.1.0',
  through: {},
  steps: [],
}

/** The store is of a version, or in a state, that this product cannot serve owners from. */
export class StoreVersionError extends ConfigError {
  constructor(problem: string) {
    super([problem])
    // The configuration has no fault.
    this.message = problem
  }
}

/** A store's version, and what it says of itself where it does. */
export interface FoundVersion {
  readonly version: number
  readonly record?: StoreRecord | undefined
}

/**
 * Refuses a store that this product cannot serve owners from.
 * @throws StoreVersionError in words for the operator
 */
export function checkVersion(found: FoundVersion, known: KnownVersions): void {
  const problem = problemOf(found, known)
  if (problem !== undefined) throw new StoreVersionError(problem)
}

function problemOf({ version, record }: FoundVersion, known: KnownVersions): string | undefined {
  const [oldest, newest] = known.reads
  if (record?.movedTo !== undefined) {
    const day = dayOf(record.movedAt ?? 0)
    const place = record.movedTo === 'redis' ? 'Redis' : 'an SQLite file'
    return (
      `This store was moved to ${place} on ${day}: what is in it is old. ` +
      'Set SVC_STORE to where it is now. Nothing was changed.'
    )
  }
  if (record?.copyFrom !== undefined) {
    return (
      `This store is to become a copy of ${record.copyFrom}, and the copy is not finished. ` +
      'Run svc store copy again until it is.'
    )
  }
  if (version > newest) return newerWords(version, record, known)
  if (version < oldest) {
    const through = known.through[version]
    const next =
      through === undefined
        ? 'Start an older version that reads it and raises it, then this one.'
        : `Start Svc ${through} once, which raises it, then this one.`
    return `This store is of version ${version}; this is Svc ${known.product}, which knows versions from ${oldest}. ${next}`
  }
  return undefined
}

function newerWords(
  version: number,
  record: StoreRecord | undefined,
  { product, reads: [, newest] }: KnownVersions,
): string {
  const by =
    record === undefined ? '' : `, raised by Svc ${record.product} on ${dayOf(record.raisedAt)}`
  const start = record === undefined ? 'the version that raised it' : record.oldestProduct
  return (
    `This store is of version ${version}${by}; this is Svc ${product}, which knows versions up to ${newest}. ` +
    `Start ${start} or newer, or restore a backup from before.`
  )
}

/**
 * Lets a store on Redis be used: refuses one of another version, and says of a new one which version it has.
 * @throws StoreVersionError in words for the operator
 */
export async function settleVersion(
  store: Store,
  clock: Clock,
  known: KnownVersions = KNOWN_VERSIONS,
): Promise<void> {
  const version = await checkStored(store, known)
  if (version === undefined) await claimVersion(store, clock, known)
}

/**
 * Refuses a store of another version, by what it says of itself. Writes nothing.
 * @returns its version; undefined for a store that does not say it yet
 * @throws StoreVersionError in words for the operator
 */
export async function checkStored(
  store: Store,
  known: KnownVersions = KNOWN_VERSIONS,
): Promise<number | undefined> {
  const record = await readStoreRecord(store)
  if (record !== undefined) checkVersion({ version: record.version, record }, known)
  return record?.version
}

/** Says of a store that does not say it yet that it has the first version: all have it that were made before. */
export async function claimVersion(
  store: Store,
  clock: Clock,
  { product }: KnownVersions,
): Promise<void> {
  const record = { version: 1, oldestProduct: '0.1.0', product, raisedAt: clock.now() }
  await store.write([{ ...putStoreRecord(record), ifAbsent: true }])
}

function dayOf(instant: number): string {
  return new Date(instant).toISOString().slice(0, 10)
}
