import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type Clock, openNewFile, type Store } from '@svc/store'
import type { EmbeddedStore } from '@svc/store/sqlite'
import type { HostLog } from '../log/log.ts'
import { listProcesses } from '../processes/process-record.ts'
import { migrateRecords, type MigrateOptions, type UpgradeStep } from './migrate-records.ts'
import { putStoreRecord, readStoreRecord, type StoreRecord } from './store-record.ts'
import { claimVersion, type KnownVersions, StoreVersionError } from './store-version.ts'

/** Free space that stays beside the copy, bytes. */
const SPARE_BYTES = 64 * 1024 * 1024

export interface RaiseEmbeddedOptions {
  readonly store: EmbeddedStore
  readonly file: string
  readonly clock: Clock
  readonly known: KnownVersions
  readonly log: Pick<HostLog, 'info'>
  /** Bytes that may be written beside the file. @defaultValue what its file system says */
  readonly freeBytes?: () => Promise<number>
}

/**
 * Brings the embedded store to the version that this product writes, at start, after a verified copy.
 * @throws StoreVersionError when there is no room for the copy; nothing was changed
 * @see operation.md 5.4
 */
export async function raiseEmbedded(options: RaiseEmbeddedOptions): Promise<void> {
  const { store, file, clock, known, log } = options
  await claimVersion(store, clock, known)
  for (const step of stepsFrom(store.version(), known)) {
    const from = store.version()
    const copy = `${file}.before-v${step.to}`
    // One that is there is of an attempt that was interrupted: it alone has nothing of the new version.
    if (!existsSync(copy)) await copyVerified(options, copy)
    await migrateRecords(store, step, { pauseMs: 0 })
    const record = raised(await readStoreRecord(store), step, known, clock)
    await store.raise(step.to, [putStoreRecord(record)])
    log.info('store.raised', { from, to: step.to, copy })
  }
}

/** What {@link upgradeShared} did. */
export interface UpgradeReport {
  readonly from: number
  readonly to: number
  readonly changed: number
}

/**
 * Brings a store on Redis to the version that this product writes, while it serves owners.
 * @throws Error when a process uses it that cannot read that version; nothing was changed
 * @see operation.md 5.4
 */
export async function upgradeShared(
  store: Store,
  clock: Clock,
  known: KnownVersions,
  options: MigrateOptions,
): Promise<UpgradeReport> {
  await claimVersion(store, clock, known)
  const from = (await readStoreRecord(store))?.version ?? 1
  let changed = 0
  for (const step of stepsFrom(from, known)) {
    await refuseOldProcesses(store, step.to)
    changed += await migrateRecords(store, step, options)
    // One that started meanwhile may have written old forms: it has to go before the store is raised.
    await refuseOldProcesses(store, step.to)
    await store.write([putStoreRecord(raised(await readStoreRecord(store), step, known, clock))])
  }
  return { from, to: Math.max(from, known.writes), changed }
}

async function refuseOldProcesses(store: Store, version: number): Promise<void> {
  const old = (await listProcesses(store)).filter(({ reads }) => reads[1] < version)
  if (old.length === 0) return
  const names = old.map((each) => `${each.hostname} port ${each.port} (Svc ${each.version})`)
  throw new Error(
    `The store cannot be raised to version ${version}: ${names.join(', ')} cannot read it. ` +
      'Start the new version in the place of each, then run this again. Nothing was raised.',
  )
}

function stepsFrom(version: number, { steps, writes }: KnownVersions): readonly UpgradeStep[] {
  return steps
    .filter(({ to }) => to > version && to <= writes)
    .toSorted((one, other) => one.to - other.to)
}

function raised(
  record: StoreRecord | undefined,
  { to, oldestProduct }: UpgradeStep,
  { product }: KnownVersions,
  clock: Clock,
): StoreRecord {
  return { ...record, version: to, oldestProduct, product, raisedAt: clock.now() }
}

async function copyVerified(
  { store, file, freeBytes = () => freeBeside(file) }: RaiseEmbeddedOptions,
  copy: string,
): Promise<void> {
  const needed = sizeOf(file) + sizeOf(`${file}-wal`) + SPARE_BYTES
  const free = await freeBytes()
  if (free < needed) {
    const [has, wants] = [free, needed].map((bytes) => Math.ceil(bytes / 1024 / 1024))
    throw new StoreVersionError(
      `The store is to be raised to a new version, and there is no room for the copy before that: ` +
        `${wants} MiB are needed beside ${file}, ${has} MiB are free. Nothing was changed.`,
    )
  }
  const unfinished = `${copy}.unfinished`
  rmSync(unfinished, { force: true })
  closeSync(openNewFile(unfinished))
  await store.backup(unfinished)
  verify(unfinished)
  syncPath(unfinished)
  renameSync(unfinished, copy)
  syncPath(dirname(copy))
}

function verify(file: string): void {
  const db = new DatabaseSync(file)
  try {
    const answer = db.prepare('PRAGMA integrity_check').get()?.['integrity_check']
    if (answer !== 'ok') throw new Error(`the copy ${file} is damaged: ${String(answer)}`)
  } finally {
    db.close()
  }
}

function syncPath(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}

async function freeBeside(file: string): Promise<number> {
  const { bavail, bsize } = await statfs(dirname(file))
  return bavail * bsize
}
