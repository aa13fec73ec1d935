import type { Json } from '@svc/store'
import type { InstanceId } from '../instances/instance.ts'
import type { FoundRecord, RecordKind } from '../records/record-kind.ts'
import type { RecordRegistry } from '../records/record-registry.ts'
import { sealedMembers, withTexts } from '../records/sealed-values.ts'

export const FORMAT = 'svc-instance'
/** The version of the format that is written, and the last that is read. */
export const FORMAT_VERSION = 1

/** The first line. */
export interface HeaderLine {
  readonly [name: string]: Json
  readonly format: typeof FORMAT
  readonly version: number
  /** Name and version of the software that wrote it. */
  readonly product: string
  readonly exportedAt: number
  readonly id: InstanceId
  readonly domain: string
  readonly aliases: readonly string[]
  /** Prefix of doctypes. */
  readonly namespace: string
  /** Versions of the kinds of records. */
  readonly kinds: Readonly<Record<string, number>>
}

/** A record. */
export interface RecordLine {
  readonly [name: string]: Json | undefined
  /** `<kind>:<id>` */
  readonly k: string
  /** Version of the value. */
  readonly v: number
  /** Instant of death; absent: never. */
  readonly x?: number
  /** Name of an index and place in it. */
  readonly i: readonly (readonly [index: string, sort: string])[]
  /** The value; what is sealed is `{"$sealed": <base64url of what it is>}`. */
  readonly d: Json
}

/** A wake-up. */
export interface WakeUpLine {
  readonly [name: string]: Json
  readonly w: readonly [queue: string, id: string, due: number]
}

/** The last line. */
export interface TrailerLine {
  readonly [name: string]: Json
  readonly records: number
  readonly wakeUps: number
  /** Of all lines between the first and this one, with their ends; lower-case hexadecimal. */
  readonly sha256: string
}

/** A sealed value as an export holds it. */
interface OpenedValue {
  readonly [name: string]: string
  readonly $sealed: string
}

/** What a value says of its version. @see operation.md 5.2 */
export function versionOf(value: Json): number {
  const v = value !== null && typeof value === 'object' && 'v' in value ? value.v : undefined
  return typeof v === 'number' ? v : 1
}

/** The kinds that an export holds, with their versions. */
export function exportedKinds(registry: RecordRegistry): Record<string, number> {
  const kinds = registry.ofInstances().filter(({ export: rule }) => rule === 'yes')
  return Object.fromEntries(kinds.map(({ kind, version }) => [kind, version]))
}

/** The value with what is sealed opened. @param open - what a sealed member is */
export function openValue(
  kind: RecordKind,
  record: FoundRecord,
  open: (member: ReturnType<typeof sealedMembers>[number]) => Buffer,
): Json {
  const opened = sealedMembers(kind, record).map((member) => {
    const text: OpenedValue = { $sealed: open(member).toString('base64url') }
    return { path: member.path, text }
  })
  return withTexts(record.value, opened)
}

/** Where a value holds opened ones, and what they are. */
export function openedPlaces(
  value: Json | undefined,
  path: readonly string[] = [],
): { readonly path: readonly string[]; readonly plain: string }[] {
  if (value === null || typeof value !== 'object') return []
  const { $sealed } = value as Partial<OpenedValue>
  if (typeof $sealed === 'string' && Object.keys(value).length === 1) {
    return [{ path, plain: $sealed }]
  }
  return (Object.entries(value) as [string, Json | undefined][]).flatMap(([name, member]) =>
    openedPlaces(member, [...path, name]),
  )
}
