import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { type DumpedRecord, type DumpedWakeUp, type DumpEntry, type Key } from '@svc/store'
import type { Freeze, InstanceId } from '../instances/instance.ts'
import { instanceKey } from '../instances/instance-record.ts'
import type { Sealer } from '../keys/sealer.ts'
import { bringForward } from '../records/bring-forward.ts'
import { findRecords, toFound } from '../records/find-records.ts'
import type { RecordRegistry } from '../records/record-registry.ts'
import { openMember } from '../records/sealed-values.ts'
import { canonicalJson } from './canonical-json.ts'
import { encrypt, type ExportKey } from './encryption.ts'
import {
  exportedKinds,
  FORMAT,
  FORMAT_VERSION,
  type HeaderLine,
  openValue,
  type RecordLine,
  type TrailerLine,
  versionOf,
  type WakeUpLine,
} from './export-format.ts'
import { freeze, type FreezeServices, noteExported, readInstance, thaw } from './freeze-instance.ts'
import { TransferError } from './transfer-error.ts'

export interface ExportServices extends FreezeServices {
  readonly records: RecordRegistry
  readonly sealer: Sealer
  readonly namespace: string
  /** Queues of wake-ups. */
  readonly queues: () => readonly string[]
}

/**
 * What an export of an instance is told. The file is encrypted for `key` alone.
 * @see docs/moving.md of the repository
 */
export interface ExportOptions {
  /** Who can read it. An export that everybody can read does not exist. */
  readonly key: ExportKey
  /** Freezes the instance for good: it is to live elsewhere. @defaultValue `false` */
  readonly move?: boolean
  /** Name and version of the software. @defaultValue `svc` */
  readonly product?: string
}

/** Records that are read at once. */
const PAGE = 100
/** What is left of the freeze when reading ends at the latest, milliseconds. */
const MARGIN_MS = 2000

/**
 * One instance as it is at one moment, as an encrypted file of the format `svc-instance`.
 * @throws InstanceError `instance_not_found`, TransferError `instance_held`, `export_too_slow`
 * @see operation.md 4.3
 */
export async function* exportInstance(
  services: ExportServices,
  id: InstanceId,
  options: ExportOptions,
): AsyncGenerator<Uint8Array> {
  const { key, move = false, product = 'svc' } = options
  const { store } = services
  await readInstance(store, id)
  const frozen = move || !store.dumpsOneMoment ? await freeze(services, id, move) : undefined
  let isComplete = false
  try {
    yield* await encrypt(zip(linesOf(services, id, product, frozen)), key)
    if (move) await noteExported(services, id)
    isComplete = true
  } finally {
    if (frozen !== undefined && !(move && isComplete)) await thaw(services, id, frozen)
  }
}

async function* zip(lines: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  const gzip = createGzip()
  // Who reads from it is told of the fault.
  pipeline(Readable.from(lines), gzip).catch(() => {})
  yield* gzip as AsyncIterable<Uint8Array>
}

async function* linesOf(
  services: ExportServices,
  id: InstanceId,
  product: string,
  frozen: Freeze | undefined,
): AsyncGenerator<string> {
  const { clock, namespace, records: registry, store } = services
  const { value: instance } = await readInstance(store, id)
  const header: HeaderLine = {
    format: FORMAT,
    version: FORMAT_VERSION,
    product,
    exportedAt: clock.now(),
    id,
    domain: instance.domain,
    aliases: instance.aliases,
    namespace,
    kinds: exportedKinds(registry),
  }
  yield `${canonicalJson(header)}\n`
  const hash = createHash('sha256')
  let records = 0
  const wakeUps: string[] = []
  for await (const entry of entriesOf(services, id)) {
    checkTime(services, frozen)
    if (entry.type === 'counter') continue
    if (entry.type === 'wake-up') {
      wakeUps.push(wakeUpLine(entry))
      continue
    }
    const line = recordLine(services, entry)
    if (line === undefined) continue
    records += 1
    hash.update(line)
    yield line
  }
  for (const line of wakeUps.toSorted(byBytes)) {
    hash.update(line)
    yield line
  }
  await checkStillFrozen(services, id, frozen)
  const trailer: TrailerLine = { records, wakeUps: wakeUps.length, sha256: hash.digest('hex') }
  yield `${canonicalJson(trailer)}\n`
}

/** Records in the byte order of their keys, then wake-ups, all at one moment. */
async function* entriesOf(services: ExportServices, id: InstanceId): AsyncGenerator<DumpEntry> {
  const { records: registry, store } = services
  const queues = services.queues()
  if (store.dumpsOneMoment) {
    yield* store.dump({ instance: id, records: true, queues })
    return
  }
  // Not the whole keyspace: the registry knows where records are.
  const keys: Key[] = []
  for await (const { key } of findRecords(registry, store, id, (kind) => kind.export === 'yes')) {
    keys.push(key)
  }
  const ordered = [...new Set(keys)].toSorted(byBytes)
  for (let at = 0; at < ordered.length; at += PAGE) {
    for (const record of await store.inspect(ordered.slice(at, at + PAGE))) {
      if (record !== undefined) yield { type: 'record', ...record }
    }
  }
  yield* store.dump({ instance: id, records: false, queues })
}

function recordLine(services: ExportServices, record: DumpedRecord): string | undefined {
  const { records: registry, sealer } = services
  const stored = toFound(record)
  const kind = registry.get(stored.kind)
  if (kind?.export !== 'yes') return undefined
  const found = { ...stored, value: bringForward(kind, stored.value) }
  const isInstance = record.key === instanceKey(found.tag as InstanceId) // The tag of an instance.
  const value = openValue(kind, found, (member) => openMember(sealer, member))
  const prefix = `{${found.tag}}:index:`.length
  const line: RecordLine = {
    k: `${found.kind}:${found.id}`,
    v: versionOf(found.value),
    ...(record.expiresAt !== undefined && { x: record.expiresAt }),
    i: record.indexes
      .map(({ index, sort }) => [index.slice(prefix), sort] as const)
      .toSorted((one, other) => byBytes(one.join('\n'), other.join('\n'))),
    d: isInstance ? { ...(value as object), frozen: undefined } : value,
  }
  return `${canonicalJson(line)}\n`
}

function wakeUpLine({ queue, id, dueAt }: DumpedWakeUp): string {
  const line: WakeUpLine = { w: [queue, id, dueAt] }
  return `${canonicalJson(line)}\n`
}

function byBytes(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other))
}

function checkTime({ clock }: ExportServices, frozen: Freeze | undefined): void {
  if (frozen?.until !== undefined && clock.now() > frozen.until - MARGIN_MS) throw tooSlow()
}

/** Somebody may have thawed it by command. */
async function checkStillFrozen(
  services: ExportServices,
  id: InstanceId,
  frozen: Freeze | undefined,
): Promise<void> {
  if (frozen === undefined) return
  checkTime(services, frozen)
  const { value } = await readInstance(services.store, id)
  if (value.frozen === undefined || value.frozen.until !== frozen.until) throw tooSlow()
}

function tooSlow(): TransferError {
  return new TransferError('export_too_slow', {
    description:
      'The instance could not be read within a minute, and takes changes again. Try it at a quieter time.',
  })
}
