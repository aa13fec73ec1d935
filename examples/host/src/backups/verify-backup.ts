import { existsSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { createSealer, type RecordRegistry, type SealingKey } from '@svc/platform'
import { describeError } from '@svc/store'
import { STORE_RECORD_KEY, toStoreRecord } from '../storage/store-record.ts'
import { checkVersion, KNOWN_VERSIONS, StoreVersionError } from '../storage/store-version.ts'
import { type BackupFault, FaultList } from './backup-fault.ts'
import { manifestOf, unfinishedIn } from './backup-files.ts'
import { checkIndexes, digestOf, integrityFault } from './check-file.ts'
import { createRecordCheck } from './check-record.ts'
import { checkSnapshot } from './check-snapshot.ts'
import { decryptFile } from './encryption.ts'
import { type Inventory, takeInventory } from './inventory.ts'
import { type Manifest, ManifestError, readManifest } from './manifest.ts'
import { SnapshotError } from './redis-snapshot.ts'

export interface VerifyOptions {
  readonly file: string
  /** @defaultValue the one beside the file */
  readonly manifest?: string
  readonly registry: RecordRegistry
  readonly keys: readonly SealingKey[]
  /** Opens an encrypted one. */
  readonly identityFile?: string
}

/** What came of it. */
export interface Verification {
  /** Absent when it could not be read. */
  readonly manifest?: Manifest
  /** How many there are. */
  readonly faultCount: number
  /** The first of them. */
  readonly faults: readonly BackupFault[]
}

/**
 * Proves that a backup can be restored with these keys, without touching anything that is in use.
 * @throws Error when the file is not there, or encrypted and nothing opens it
 * @see operation.md 4.2
 */
export async function verifyBackup(options: VerifyOptions): Promise<Verification> {
  const { file } = options
  if (!existsSync(file)) throw new Error(`There is no file ${file}.`)
  const faults = new FaultList()
  let manifest: Manifest
  try {
    manifest = readManifest(options.manifest ?? manifestOf(file))
  } catch (error) {
    if (!(error instanceof ManifestError)) throw error
    faults.add('manifest', error.message)
    return { faultCount: faults.count, faults: faults.first }
  }
  const { sha256, bytes } = await digestOf(file)
  if (bytes !== manifest.bytes) {
    const words = `The file has ${bytes} bytes, and its manifest says ${manifest.bytes}.`
    faults.add('bytes_changed', words)
  } else if (sha256 !== manifest.sha256) {
    faults.add('bytes_changed', 'The file is not the one that was made: its SHA-256 differs.')
  }
  await withPlain(options, manifest, (plain) => checkContent(plain, manifest, options, faults))
  return { manifest, faultCount: faults.count, faults: faults.first }
}

/** Gives the file as the store wrote it; what is decrypted for that is removed afterwards. */
export async function withPlain<Result>(
  { file, identityFile }: Pick<VerifyOptions, 'file' | 'identityFile'>,
  { encrypted }: Pick<Manifest, 'encrypted'>,
  work: (plain: string) => Promise<Result>,
): Promise<Result> {
  if (!encrypted) return work(file)
  if (identityFile === undefined) {
    throw new Error('The backup is encrypted. Name the file of your key: --identity-file FILE.')
  }
  const plain = unfinishedIn(dirname(file), 'svc-00000000T000000Z')
  try {
    try {
      await decryptFile(file, plain, identityFile)
    } catch (cause) {
      throw new Error(`The backup does not open with ${identityFile}: ${describeError(cause)}`, {
        cause,
      })
    }
    return await work(plain)
  } finally {
    rmSync(plain, { force: true })
  }
}

async function checkContent(
  file: string,
  manifest: Manifest,
  { registry, keys }: VerifyOptions,
  faults: FaultList,
): Promise<void> {
  const clock = { now: () => Date.parse(manifest.createdAt) }
  const check = createRecordCheck(createSealer(keys), new Set(keys.map(({ kid }) => kid)), faults)
  if (manifest.engine === 'redis') {
    try {
      const found = await checkSnapshot(file, clock, { registry, look: check, faults })
      compare(found, manifest, faults)
    } catch (error) {
      if (error instanceof StoreVersionError) faults.add('store_version', error.message)
      else if (error instanceof SnapshotError) faults.add('damaged', `${error.message}.`)
      else throw error
    }
    return
  }
  const damage = integrityFault(file)
  if (damage !== undefined) faults.add('damaged', `The file is damaged: ${damage}.`)
  try {
    const { dumpSqliteFile, readFileVersion } = await import('@svc/store/sqlite')
    const { reads } = KNOWN_VERSIONS
    const found = readFileVersion(file, STORE_RECORD_KEY)
    if (found === undefined) {
      faults.add('damaged', 'The file holds no store.')
      return
    }
    checkVersion({ version: found.version, record: toStoreRecord(found.record) }, KNOWN_VERSIONS)
    const entries = dumpSqliteFile({ file, clock, reads })
    compare(await takeInventory(entries, registry, check), manifest, faults)
    checkIndexes(file, faults)
  } catch (error) {
    if (error instanceof StoreVersionError) faults.add('store_version', error.message)
    // Said already, and why the rest cannot be read.
    else if (damage === undefined) {
      faults.add('damaged', `The file cannot be read: ${describeError(error)}.`)
    }
  }
}

function compare(found: Inventory, manifest: Manifest, faults: FaultList): void {
  const kinds = new Set([...Object.keys(found.records), ...Object.keys(manifest.records)])
  for (const kind of [...kinds].toSorted()) {
    const [has, said] = [found.records[kind] ?? 0, manifest.records[kind] ?? 0]
    if (has !== said) {
      faults.add('record_count', `It holds ${has} records of the kind ${kind}, not ${said}.`)
    }
  }
}
