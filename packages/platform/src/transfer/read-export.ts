import { createHash } from 'node:crypto'
import {
  describeError,
  indexKey,
  type Json,
  type Key,
  parseExact,
  recordKey,
  type Revision,
} from '@svc/store'
import { compiledSchema } from '../compiled-schema.ts'
import type { InstanceId } from '../instances/instance.ts'
import { bringForward } from '../records/bring-forward.ts'
import type { FoundRecord, RecordKind } from '../records/record-kind.ts'
import type { RecordRegistry } from '../records/record-registry.ts'
import { type SealedMember, sealedMembers, withTexts } from '../records/sealed-values.ts'
import {
  FORMAT,
  FORMAT_VERSION,
  type HeaderLine,
  openedPlaces,
  type RecordLine,
  type TrailerLine,
  type WakeUpLine,
} from './export-format.ts'
import { damaged } from './read-lines.ts'
import { TransferError } from './transfer-error.ts'

/** A record of an export, checked and brought to the present version of its kind. */
export interface ReadRecord {
  readonly type: 'record'
  readonly kind: RecordKind
  /** Its value has what was sealed as base64url, at the places of `opened`. */
  readonly record: Omit<FoundRecord, 'revision'>
  readonly opened: readonly SealedMember[]
  readonly indexes: readonly {
    readonly index: ReturnType<typeof indexKey>
    readonly sort: string
  }[]
  readonly bytes: number
}

export type ReadEntry =
  | { readonly type: 'header'; readonly header: HeaderLine }
  | ReadRecord
  | {
      readonly type: 'wake-up'
      readonly queue: string
      readonly id: string
      readonly dueAt: number
    }
  | { readonly type: 'trailer'; readonly trailer: TrailerLine }

/** What this server knows. */
export interface ReadServices {
  readonly records: RecordRegistry
  readonly namespace: string
}

/**
 * The entries of an export, each checked when it is given; whether the file is whole is known with the last.
 * @throws TransferError `export_damaged`, `export_too_new`, `import_refused`
 */
export async function* readExport(
  services: ReadServices,
  lines: AsyncIterable<string>,
): AsyncGenerator<ReadEntry> {
  let header: HeaderLine | undefined
  let trailer: TrailerLine | undefined
  const hash = createHash('sha256')
  const count = { records: 0, wakeUps: 0 }
  let last = Buffer.alloc(0)
  for await (const text of lines) {
    if (trailer !== undefined) throw damaged('something follows its last line')
    const line = parse(text)
    if (header === undefined) {
      header = readHeader(services, line)
      yield { type: 'header', header }
      continue
    }
    if ('sha256' in line) {
      trailer = readTrailer(line as TrailerLine, hash.digest('hex'), count)
      yield { type: 'trailer', trailer }
      continue
    }
    hash.update(`${text}\n`)
    if ('w' in line) {
      count.wakeUps += 1
      yield readWakeUp(line as WakeUpLine, header.id)
      continue
    }
    count.records += 1
    const read = readRecord(services, line as RecordLine, header, text.length)
    const key = Buffer.from(read.record.key)
    if (count.wakeUps > 0 || Buffer.compare(last, key) >= 0) throw damaged('its order is wrong')
    last = key
    yield read
  }
  if (trailer === undefined) throw damaged('its last line is missing')
}

function parse(text: string): Readonly<Record<string, unknown>> {
  try {
    const line: unknown = parseExact(text)
    if (line !== null && typeof line === 'object') return line as Readonly<Record<string, unknown>>
  } catch {}
  throw damaged('a line is no JSON')
}

const HEADER = {
  type: 'object',
  required: ['format', 'version', 'product', 'exportedAt', 'id', 'domain', 'namespace', 'kinds'],
  properties: {
    format: { const: FORMAT },
    version: { type: 'integer', minimum: 1 },
    product: { type: 'string' },
    exportedAt: { type: 'number' },
    id: { type: 'string', pattern: '^[A-Za-z0-9_-]{1,64}$' },
    domain: { type: 'string' },
    namespace: { type: 'string' },
    kinds: { type: 'object', additionalProperties: { type: 'integer' } },
  },
} as const

function readHeader({ records, namespace }: ReadServices, line: unknown): HeaderLine {
  const isHeader = compiledSchema<HeaderLine>(HEADER)
  if (!isHeader(line)) throw damaged('its first line is another')
  if (line.version > FORMAT_VERSION) {
    throw tooNew(line, `version ${line.version} of ${FORMAT}`, String(FORMAT_VERSION))
  }
  for (const [kind, version] of Object.entries(line.kinds)) {
    const known = records.get(kind)
    if (known === undefined) throw tooNew(line, `records of the kind "${kind}"`, 'other kinds')
    if (version > known.version) {
      throw tooNew(line, `version ${version} of "${kind}"`, String(known.version))
    }
  }
  if (line.namespace !== namespace) {
    throw new TransferError('import_refused', {
      description: `The types of its documents begin with "${line.namespace}", here with "${namespace}".`,
    })
  }
  return line
}

function tooNew({ product }: HeaderLine, what: string, known: string): TransferError {
  return new TransferError('export_too_new', {
    description: `This file has ${what}, and was written by ${product}; this server knows ${known}. Bring this server to that version first. Nothing of the file was stored.`,
  })
}

function readTrailer(
  line: TrailerLine,
  sha256: string,
  { records, wakeUps }: { readonly records: number; readonly wakeUps: number },
): TrailerLine {
  if (line.sha256 !== sha256) throw damaged('its digest is another')
  if (line.records !== records || line.wakeUps !== wakeUps) throw damaged('its counts are others')
  return line
}

function readWakeUp({ w }: WakeUpLine, id: InstanceId): ReadEntry {
  if (!Array.isArray(w) || w.length !== 3) throw damaged('a wake-up is malformed')
  const [queue, wakeUpId, dueAt] = w
  if (!wakeUpId.startsWith(id)) throw damaged('a wake-up is not of the instance')
  return { type: 'wake-up', queue, id: wakeUpId, dueAt }
}

const RECORD = {
  type: 'object',
  additionalProperties: false,
  required: ['k', 'v', 'i', 'd'],
  properties: {
    k: { type: 'string', pattern: '^[a-z][a-z0-9-]*:' },
    v: { type: 'integer', minimum: 1 },
    x: { type: 'number' },
    i: {
      type: 'array',
      items: { type: 'array', items: { type: 'string' }, minItems: 2, maxItems: 2 },
    },
    d: {},
  },
} as const

function readRecord(
  { records }: ReadServices,
  given: RecordLine,
  { id: tag, kinds }: HeaderLine,
  bytes: number,
): ReadRecord {
  const isRecord = compiledSchema<RecordLine>(RECORD, { strictTuples: false })
  if (!isRecord(given)) throw damaged('a record is malformed')
  const at = given.k.indexOf(':')
  const [name, id] = [given.k.slice(0, at), given.k.slice(at + 1)]
  const kind = records.get(name)
  if (kind?.export !== 'yes' || kinds[name] === undefined) {
    throw damaged(`records of the kind "${name}" are in no export`)
  }
  const { key, indexes } = keysOf(tag, name, id, given)
  const places = openedPlaces(given.d)
  const texts = places.map(({ path, plain }) => ({ path, text: plain }))
  const expiry = given.x === undefined ? {} : { expiresAt: given.x }
  const found = { key, tag, kind: name, id, ...expiry }
  const revision = '' as Revision // Nobody asks for it.
  const whole: FoundRecord = { ...found, value: withTexts(given.d, texts), revision }
  const isPlace = new Set(places.map(({ path }) => path.join('\n')))
  const opened = sealedMembers(kind, whole).filter(({ path }) => isPlace.has(path.join('\n')))
  // What only looks like an opened value is an owner's own.
  const value = forward(
    kind,
    withTexts(
      given.d,
      opened.map(({ path, sealed }) => ({ path, text: sealed })),
    ),
  )
  if (!compiledSchema(kind.schema, { strict: false })(value)) {
    throw damaged(`a record of the kind "${name}" is malformed`)
  }
  return { type: 'record', kind, record: { ...found, value }, opened, indexes, bytes }
}

function keysOf(
  tag: string,
  kind: string,
  id: string,
  { i }: RecordLine,
): { readonly key: Key; readonly indexes: ReadRecord['indexes'] } {
  try {
    const indexes = i.map(([name, sort]) => ({ index: indexKey(tag, name), sort }))
    return { key: recordKey(tag, kind, id), indexes }
  } catch (error) {
    throw damaged(`a record of the kind "${kind}" has a malformed key`, error)
  }
}

function forward(kind: RecordKind, value: Json): Json {
  try {
    return bringForward(kind, value)
  } catch (error) {
    throw damaged(describeError(error), error)
  }
}
