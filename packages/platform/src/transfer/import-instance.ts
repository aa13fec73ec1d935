import { createReadStream } from 'node:fs'
import type { Change, Json, Key } from '@svc/store'
import type { Directory } from '../instances/directory.ts'
import type { InstanceId } from '../instances/instance.ts'
import { instanceKey, type StoredInstance } from '../instances/instance-record.ts'
import type { Keyring } from '../keys/keyring.ts'
import { type KeySetRecord, keySetKey, makeKey, nextNumber } from '../keys/keyring-values.ts'
import type { Sealer } from '../keys/sealer.ts'
import { findRecords } from '../records/find-records.ts'
import type { FoundRecord } from '../records/record-kind.ts'
import { sealMember, withTexts } from '../records/sealed-values.ts'
import type { ImportKey } from './encryption.ts'
import type { HeaderLine } from './export-format.ts'
import { freeze, type FreezeServices } from './freeze-instance.ts'
import { type ReadEntry, readExport, type ReadRecord, type ReadServices } from './read-export.ts'
import { damaged, readLines } from './read-lines.ts'
import { spooled } from './spool.ts'
import { TransferError } from './transfer-error.ts'

export interface ImportServices extends FreezeServices, ReadServices {
  readonly sealer: Sealer
  readonly keyring: Pick<Keyring, 'replaced'>
  readonly directory: Directory
  /** The one spelling of a domain. @throws TypeError when it is none */
  readonly normalize: (domain: string) => string
}

/**
 * What an import of an instance is told. With `dryRun` it says what would be.
 * @see docs/moving.md of the repository
 * @example
 * const key = { passphrase: 'seven blue kettles' }
 * const report = await platform.transfer.importInstance(createReadStream('alice.svc'), { key, dryRun: true })
 */
export interface ImportOptions {
  readonly key: ImportKey
  /** Another domain than that of the export; its aliases are left out then. */
  readonly domain?: string
  /** Says what would be, and changes nothing. @defaultValue `false` */
  readonly dryRun?: boolean
  /** In place of the instance with the same id. @defaultValue `false` */
  readonly replace?: boolean
  /** Where the file, encrypted as it is, lies until it is read. @defaultValue the system's folder of temporary files */
  readonly folder?: string
  /** Sees each record before anything is stored; what is sealed is there as base64url of what it is. */
  readonly examine?: (record: Omit<FoundRecord, 'revision'>) => void
  /** Comes after the last record and before anything is stored. What it throws refuses the import. */
  readonly accept?: (report: ImportReport) => Promise<void> | void
}

/** What an export holds. */
export interface ImportReport {
  readonly id: InstanceId
  readonly domain: string
  readonly aliases: readonly string[]
  /** The domain that the export had. */
  readonly exportedDomain: string
  readonly exportedAt: number
  /** Name and version of the software that wrote it. */
  readonly product: string
  readonly records: number
  readonly wakeUps: number
  /** Of its records, as text. */
  readonly bytes: number
  /** How many records of each kind. */
  readonly kinds: Readonly<Record<string, number>>
  /** Of all that it holds. */
  readonly sha256: string
}

/** Changes of one write, of 128 that may be. */
const AT_ONCE = 100

/**
 * Takes an instance in. The whole file is checked before anything of it is stored; the instance answers when all of it
 * is. An import that was cut short is repeated with the same file, or undone with `abortImport`.
 * @throws TransferError, InstanceError `domain_taken`
 * @see operation.md 4.3
 */
export function importInstance(
  services: ImportServices,
  file: AsyncIterable<Uint8Array>,
  options: ImportOptions,
): Promise<ImportReport> {
  return spooled(file, options.folder, async (path) => {
    const read = (): AsyncIterable<ReadEntry> =>
      readExport(services, readLines(createReadStream(path), options.key))
    const { record, report } = await verify(services, read(), options)
    const place = await placeOf(services, report, options.replace === true)
    await options.accept?.(report)
    if (options.dryRun !== true) await takeIn(services, read, record, report, place)
    return report
  })
}

/** Reads the file to its end. */
async function verify(
  { normalize }: ImportServices,
  entries: AsyncIterable<ReadEntry>,
  { domain, examine }: ImportOptions,
): Promise<{ readonly record: StoredInstance; readonly report: ImportReport }> {
  let header: HeaderLine | undefined
  let record: StoredInstance | undefined
  let sha256 = ''
  const kinds: Record<string, number> = {}
  const count = { bytes: 0, records: 0, wakeUps: 0 }
  for await (const entry of entries) {
    if (entry.type === 'header') header = entry.header
    if (entry.type === 'trailer') sha256 = entry.trailer.sha256
    if (entry.type === 'wake-up') count.wakeUps += 1
    if (entry.type !== 'record') continue
    count.records += 1
    count.bytes += entry.bytes
    kinds[entry.record.kind] = (kinds[entry.record.kind] ?? 0) + 1
    if (isInstance(entry)) record = entry.record.value as StoredInstance // As its schema has it.
    examine?.(entry.record)
  }
  if (header === undefined || record === undefined || record.id !== header.id) {
    throw damaged('it has no instance')
  }
  const moved = domain === undefined ? undefined : normalize(domain)
  const isElsewhere = moved !== undefined && moved !== record.domain
  const { product, exportedAt, id } = header
  const report: ImportReport = {
    id,
    domain: isElsewhere ? moved : normalize(record.domain),
    aliases: isElsewhere ? [] : record.aliases,
    exportedDomain: record.domain,
    exportedAt,
    product,
    ...count,
    kinds,
    sha256,
  }
  return { record, report }
}

function isInstance({ record }: ReadRecord): boolean {
  return record.key === instanceKey(record.tag as InstanceId) // The tag of an instance.
}

/** What is there already. @throws TransferError when the instance has no place here */
async function placeOf(
  { store, directory }: ImportServices,
  { id, domain, aliases, sha256 }: ImportReport,
  isReplaced: boolean,
): Promise<StoredInstance | undefined> {
  const present = (await store.get<StoredInstance>(instanceKey(id)))?.value
  for (const host of [domain, ...aliases]) {
    const other = await directory.find(host)
    if (other === undefined || other === id) continue
    throw new TransferError('instance_exists', {
      description: `${host} is the domain of another instance here.`,
    })
  }
  if (present === undefined || present.importedFrom === sha256) return present
  if (present.status === 'importing') {
    throw new TransferError('import_unfinished', {
      description: `An import of this instance from another file is unfinished. Repeat it with that file, or undo it: svc instance import --abort ${present.domain}`,
    })
  }
  if (isReplaced && present.status !== 'deleting') return present
  throw new TransferError('instance_exists', {
    description: `This instance is here already, as ${present.domain}. With --replace the file takes its place.`,
  })
}

async function takeIn(
  services: ImportServices,
  read: () => AsyncIterable<ReadEntry>,
  record: StoredInstance,
  report: ImportReport,
  present: StoredInstance | undefined,
): Promise<void> {
  const { store, directory, forget, keyring } = services
  const { id, domain, aliases, sha256 } = report
  const key = instanceKey(id)
  const hosts = [domain, ...aliases].map((host) => ({ host, isDomain: host === domain }))
  const isImporting = present?.status === 'importing'
  if (present !== undefined && !isImporting) await freeze(services, id, true)
  const before = await store.get(key)
  await directory.claim(id, hosts)
  // What the host calls an owner is its own word: that of another one ties to nothing here.
  const { externalId: _elsewhere, ...moved } = record
  const { externalId } = present ?? {}
  // Records with members replaced by members of the same types.
  const live = {
    ...moved,
    domain,
    aliases,
    ...(externalId !== undefined && { externalId }),
  } as StoredInstance
  const isReplaced = present !== undefined && (!isImporting || present.frozen !== undefined)
  const importing = {
    ...live,
    status: 'importing',
    importedFrom: sha256,
    // Another instance was here: what is stored cannot be undone.
    ...(isReplaced && { frozen: {} }),
  } as StoredInstance
  const condition =
    before === undefined ? { ifAbsent: true as const } : { ifRevision: before.revision }
  const begun = await store.write([{ op: 'put', key, value: importing, ...condition }])
  if (!begun.written) throw unfinished()
  await forget(id)
  const isKept = await storeRecords(services, read())
  if (present !== undefined) await dropOthers(services, id, isKept)
  const done = await store.write([{ op: 'put', key, value: live, ifRevision: begun.revision }])
  if (!done.written) throw unfinished()
  if (present !== undefined) {
    const left = [present.domain, ...present.aliases].filter(
      (host) => host !== domain && !aliases.includes(host),
    )
    await directory.release(id, left)
  }
  await forget(id)
  await keyring.replaced({ id })
}

function unfinished(): TransferError {
  return new TransferError('import_unfinished', {
    description: 'The same instance is being imported by somebody else.',
  })
}

/** @returns whether the file has a key */
async function storeRecords(
  services: ImportServices,
  entries: AsyncIterable<ReadEntry>,
): Promise<(key: string) => boolean> {
  const { store } = services
  const keys = new Set<string>()
  let changes: Change[] = []
  for await (const entry of entries) {
    // After the last record: what they wake asks for records. It waits until the instance is live.
    if (entry.type === 'wake-up') await store.scheduler.at(entry.queue, entry.id, entry.dueAt)
    if (entry.type !== 'record' || isInstance(entry)) continue
    keys.add(entry.record.key)
    changes.push(putOf(services, entry))
    if (changes.length < AT_ONCE) continue
    await store.write(changes)
    changes = []
  }
  await store.write(changes)
  return (key) => keys.has(key)
}

/** The record with its secrets sealed by this host's first key. */
function putOf(services: ImportServices, { record, opened, indexes }: ReadRecord): Change {
  const { key, value, expiresAt } = record
  const tag = record.tag as InstanceId // The tag of an instance.
  const isAccess = key === keySetKey(tag, 'access')
  return {
    op: 'put',
    key,
    value: isAccess
      ? accessKey(services, tag, value as KeySetRecord) // As its schema has it.
      : sealedValue(services, value, opened),
    indexes,
    ...(expiresAt !== undefined && { expiresAt }),
  }
}

/** In place of those of the file: whoever held it could have made tokens with them (D86). */
function accessKey(services: ImportServices, id: InstanceId, { keys }: KeySetRecord): KeySetRecord {
  return { keys: [makeKey(services, id, 'access', nextNumber(keys))] }
}

function sealedValue({ sealer }: ImportServices, value: Json, opened: ReadRecord['opened']): Json {
  const texts = opened.map(({ path, context, sealed }) => ({
    path,
    text: sealMember(sealer, context, Buffer.from(sealed, 'base64url')),
  }))
  return withTexts(value, texts)
}

/** Removes what the replaced instance had and the file has not. */
async function dropOthers(
  { records, store }: ImportServices,
  id: InstanceId,
  isKept: (key: string) => boolean,
): Promise<void> {
  const dropped: Key[] = []
  // Records lead to others: all are found before the first goes.
  for await (const { key } of findRecords(
    records,
    store,
    id,
    ({ export: rule }) => rule === 'yes',
  )) {
    if (key !== instanceKey(id) && !isKept(key)) dropped.push(key)
  }
  for (const key of dropped) await store.write([{ op: 'delete', key }])
}
