import {
  type FoundRecord,
  type RecordKind,
  type RecordRegistry,
  sealedMembers,
  sealedWith,
  toFound,
} from '@svc/platform'
import type { DumpEntry } from '@svc/store'

/** What a store holds, in numbers. */
export interface Inventory {
  readonly instances: number
  /** By kind. */
  readonly records: Readonly<Record<string, number>>
  /** Versions of the kinds that are there, as the product that counted them knows them. */
  readonly kinds: Readonly<Record<string, number>>
  /** Names of the sealing keys that something in it needs. */
  readonly kids: readonly string[]
}

/** What is wanted of a record besides its number. */
export type Look = (record: FoundRecord, kind: RecordKind | undefined) => void

/** Counts what is in a store. @param look - at each record, too */
export async function takeInventory(
  entries: AsyncIterable<DumpEntry>,
  registry: RecordRegistry,
  look: Look = () => {},
): Promise<Inventory> {
  const counts = new Map<string, number>()
  const kids = new Set<string>()
  for await (const entry of entries) {
    if (entry.type !== 'record') break
    const record = toFound(entry)
    const kind = registry.get(record.kind)
    counts.set(record.kind, (counts.get(record.kind) ?? 0) + 1)
    if (kind?.sealed !== undefined) noteKids(kind, record, kids)
    look(record, kind)
  }
  const names = [...counts.keys()].toSorted()
  return {
    instances: counts.get('instance') ?? 0,
    records: Object.fromEntries(names.map((name) => [name, counts.get(name) ?? 0])),
    kinds: Object.fromEntries(names.map((name) => [name, registry.get(name)?.version ?? 1])),
    kids: [...kids].toSorted(),
  }
}

function noteKids(kind: RecordKind, record: FoundRecord, kids: Set<string>): void {
  // What only proves a key needs it no more once the key is empty.
  const isEmpty = (record.value as { readonly state?: unknown } | null)?.state === 'empty'
  for (const { sealed, provesKey } of sealedMembers(kind, record)) {
    const kid = sealedWith(sealed)
    if (kid !== undefined && !(provesKey && isEmpty)) kids.add(kid)
  }
}
