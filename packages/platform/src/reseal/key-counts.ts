import type { Store } from '@svc/store'
import type { FoundRecord } from '../records/record-kind.ts'
import type { WorkTools } from '../work/paced-work.ts'
import { KEY_SET_KIND, type KeySetRecord } from '../keys/keyring-values.ts'
import { countKids } from './reseal-record.ts'
import type { SealedWalk } from './sealed-walk.ts'
import type { Sealer } from '../keys/sealer.ts'
import { noteChange, readNotes, type SealingKeyNote } from '../keys/sealing-key-notes.ts'

/** How many sealed values there are, by key and by kind of record. */
export type KeyCounts = { readonly [kid: string]: { readonly [kind: string]: number } }

/** What a read-only pass over everything has found so far. */
export type CountState = {
  readonly place: string
  readonly counts: KeyCounts
  /** When the oldest key was made that signs access tokens of an instance; milliseconds since the epoch. */
  readonly oldestSigningKey?: number
}

export const COUNT_BEGIN: CountState = { place: '', counts: {} }
/** A record that is read, in records that are written. */
export const READ_UNITS = 0.1

/** Counts a page; the place of the answer is absent after the last one. */
export async function countPage(
  options: {
    readonly walk: SealedWalk
    readonly sealer: Sealer
    readonly known: ReadonlySet<string>
  },
  state: CountState,
  { pace }: WorkTools,
): Promise<{ readonly found: Omit<CountState, 'place'>; readonly next?: string }> {
  const { walk, sealer, known } = options
  const counts = new Map<string, Map<string, number>>(
    Object.entries(state.counts).map(([kid, kinds]) => [kid, new Map(Object.entries(kinds))]),
  )
  let oldest = state.oldestSigningKey
  const { tags, next } = await walk.page(state.place)
  for (const tag of tags) {
    for await (const { kind, record } of walk.records(tag)) {
      await pace(READ_UNITS)
      for (const [kid, count] of countKids(sealer, known, kind, record)) {
        const kinds = counts.get(kid) ?? new Map<string, number>()
        counts.set(kid, kinds.set(kind.kind, (kinds.get(kind.kind) ?? 0) + count))
      }
      const madeAt = signsSince(record)
      if (madeAt !== undefined && madeAt < (oldest ?? Number.POSITIVE_INFINITY)) oldest = madeAt
    }
  }
  const found = {
    counts: Object.fromEntries(
      [...counts].map(([kid, kinds]) => [kid, Object.fromEntries(kinds)] as const),
    ),
    ...(oldest !== undefined && { oldestSigningKey: oldest }),
  }
  return { found, ...(next !== undefined && { next }) }
}

function signsSince({ kind, id, value }: FoundRecord): number | undefined {
  if (kind !== KEY_SET_KIND || id !== 'access') return undefined
  return (value as KeySetRecord).keys[0]?.createdAt // as the keyring wrote it
}

/**
 * How many values of all kinds are sealed with a key.
 * @param kid - name of the key; one that sealed nothing has 0
 * @example
 * const isUnused = totalOf(counts, '2025') === 0
 */
export function totalOf(counts: KeyCounts, kid: string): number {
  return Object.values(counts[kid] ?? {}).reduce((sum, count) => sum + count, 0)
}

/**
 * Writes down how many values each key has sealed.
 * @param mayBeEmpty - whether nobody needs a key any more of which nothing was found
 */
export async function noteCounts(
  store: Store,
  counts: KeyCounts,
  mayBeEmpty: (note: SealingKeyNote, revision: string) => boolean = () => false,
): Promise<void> {
  for (const note of await readNotes(store)) {
    const { value, revision } = note
    const values = totalOf(counts, value.kid)
    const isEmpty = values === 0 && mayBeEmpty(value, revision)
    // Somebody who started meanwhile, and seals with it, is right.
    await store.write([noteChange({ ...value, values, ...(isEmpty && { state: 'empty' }) }, note)])
  }
}
