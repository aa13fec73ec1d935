import { existsSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { RecordRegistry } from '@svc/platform'
import { type Clock, makePrivateFolder, writeNewFile } from '@svc/store'
import type { Config } from '../config/config.ts'
import { PRODUCT_VERSION } from '../processes/product-version.ts'
import { KNOWN_VERSIONS } from '../storage/store-version.ts'
import { manifestOf, removeLeftOvers, stemOf, syncPath, unfinishedIn } from './backup-files.ts'
import { digestOf, integrityFault } from './check-file.ts'
import { checkRecipient, encryptFile } from './encryption.ts'
import { type Inventory, takeInventory } from './inventory.ts'
import type { Manifest } from './manifest.ts'

export interface CreateOptions {
  readonly config: Pick<Config, 'dataDir' | 'keysFile' | 'namespace'>
  readonly directory: string
  /** Who can open it; absent: everybody who can read the file. */
  readonly recipient?: string
  readonly registry: RecordRegistry
  readonly clock: Clock
  /** Has the running server copy its store there. */
  readonly copy: (file: string) => Promise<void>
}

/** A backup that was made. */
export interface CreatedBackup {
  readonly file: string
  readonly manifest: Manifest
}

/**
 * Makes a backup of the embedded store while its server runs. Nothing has its name before it is whole and was read.
 * @throws Error in words for the operator
 * @see operation.md 4.1
 */
export async function createBackup(options: CreateOptions): Promise<CreatedBackup> {
  const { recipient, registry, clock, copy } = options
  if (recipient !== undefined) await checkRecipient(recipient)
  const directory = openFolder(options)
  const stem = freeStem(directory, clock.now())
  const unfinished = unfinishedIn(directory, stem)
  try {
    await copy(unfinished)
    const storeVersion = settleFile(unfinished)
    const { dumpSqliteFile } = await import('@svc/store/sqlite')
    const at = clock.now()
    const inventory = await takeInventory(
      dumpSqliteFile({ file: unfinished, clock: { now: () => at }, reads: KNOWN_VERSIONS.reads }),
      registry,
    )
    return await keepBackup(
      { directory, stem, unfinished, at, ...(recipient !== undefined && { recipient }) },
      { engine: 'sqlite', storeVersion, ...inventory },
    )
  } finally {
    rmSync(unfinished, { force: true })
  }
}

/** A copy that is whole, and what it is to be called. */
interface FinishedCopy {
  readonly directory: string
  readonly stem: string
  readonly unfinished: string
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly recipient?: string
}

/** Encrypts a copy where that is asked for, describes it, and gives it its name. */
export async function keepBackup(
  { directory, stem, unfinished, at, recipient }: FinishedCopy,
  found: Pick<Manifest, 'engine' | 'storeVersion'> & Inventory,
): Promise<CreatedBackup> {
  const encrypted = `${unfinished.replace(/unfinished$/, 'age')}.unfinished`
  try {
    const isEncrypted = recipient !== undefined
    if (isEncrypted) await encryptFile(unfinished, encrypted, recipient)
    const made = isEncrypted ? encrypted : unfinished
    const end = found.engine === 'sqlite' ? 'db' : 'rdb'
    const file = join(directory, `${stem}.${end}${isEncrypted ? '.age' : ''}`)
    const manifest: Manifest = {
      format: 'svc-backup',
      formatVersion: 1,
      product: PRODUCT_VERSION,
      createdAt: new Date(at).toISOString(),
      encrypted: isEncrypted,
      ...(await digestOf(made)),
      ...found,
    }
    // First, so that a backup with a name always has one.
    writeNewFile(manifestOf(file), `${JSON.stringify(manifest, null, 2)}\n`, 'replace')
    renameSync(made, file)
    syncPath(directory)
    return { file, manifest }
  } finally {
    rmSync(encrypted, { force: true })
  }
}

/**
 * The folder for backups, made where there is none.
 * @throws Error where the sealing keys are: whoever got that folder could read everything
 */
export function openFolder({
  config,
  directory,
}: Pick<CreateOptions, 'config' | 'directory'>): string {
  // The server writes there.
  makePrivateFolder(directory, config.dataDir)
  const folder = realpathSync(directory)
  const keysFile = config.keysFile ?? join(config.dataDir, 'keys')
  const isThere =
    existsSync(keysFile) &&
    [dirname(keysFile), dirname(realpathSync(keysFile))].some(
      (place) => realpathSync(place) === folder,
    )
  if (isThere) {
    throw new Error(
      `${folder} holds the sealing keys. A backup beside them opens everything to whoever gets the folder: ` +
        'name another one with --to. Keep a copy of the keys elsewhere.',
    )
  }
  removeLeftOvers(folder)
  return folder
}

/** Of the first second from then that has no backup. */
export function freeStem(directory: string, at: number): string {
  for (let second = at; ; second += 1000) {
    const stem = stemOf(second)
    const names = ['db', 'db.age', 'rdb', 'json'].map((end) => join(directory, `${stem}.${end}`))
    if (!names.some((name) => existsSync(name))) return stem
  }
}

/** Opens the copy as a file that needs no other beside it. @returns the version of the store @throws Error when it is damaged */
function settleFile(file: string): number {
  if (statSync(file).size === 0) throw new Error('The server copied nothing.')
  const db = new DatabaseSync(file)
  let version: number
  try {
    db.exec('PRAGMA journal_mode = DELETE')
    version = Number(db.prepare('PRAGMA user_version').get()?.['user_version'])
  } finally {
    db.close()
  }
  const damage = integrityFault(file)
  if (damage !== undefined) throw new Error(`The copy is damaged, and was removed: ${damage}`)
  syncPath(file)
  return version
}
