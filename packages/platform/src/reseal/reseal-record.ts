import type { Store } from '@svc/store'
import { toFound } from '../records/find-records.ts'
import type { FoundRecord, RecordKind } from '../records/record-kind.ts'
import {
  openMember,
  type SealedMember,
  sealedMembers,
  sealMember,
  withTexts,
} from '../records/sealed-values.ts'
import { SealedValueError, sealedWith } from '../keys/sealed-text.ts'
import type { Sealer } from '../keys/sealer.ts'

/** What became of a record. */
export interface Resealed {
  /** Values that are under the first key now. */
  readonly sealed: number
  /** Values that do not open with the key that they name. */
  readonly damaged: number
}

export interface ResealRecordOptions {
  readonly store: Store
  readonly sealer: Sealer
  /** Name of the first key. */
  readonly first: string
  /** Waits until one more record may be written. */
  readonly pace: () => Promise<void>
  /** Hears of a value that does not open. */
  readonly onDamaged: (record: FoundRecord, kid: string | undefined) => void
}

/**
 * Seals the values of a record with the first key. A record that somebody else writes meanwhile is looked at again as it
 * is then, so that nothing of what they wrote is lost.
 */
export async function resealRecord(
  options: ResealRecordOptions,
  kind: RecordKind,
  found: FoundRecord,
): Promise<Resealed> {
  const { store, sealer, first, pace, onDamaged } = options
  for (let record = found; ; ) {
    let damaged = 0
    const texts = sealedMembers(kind, record).flatMap((member) => {
      const kid = sealedWith(member.sealed)
      if (kid === undefined || kid === first || member.provesKey) return []
      const plain = tryOpen(sealer, member)
      if (plain !== undefined) {
        return [{ path: member.path, text: sealMember(sealer, member.context, plain) }]
      }
      damaged += 1
      onDamaged(record, kid)
      return []
    })
    if (texts.length === 0) return { sealed: 0, damaged }
    await pace()
    const { key, revision: ifRevision } = record
    const value = withTexts(record.value, texts)
    if ((await store.write([{ op: 'revise', key, value, ifRevision }])).written) {
      return { sealed: texts.length, damaged }
    }
    const now = await store.get(key)
    if (now === undefined) return { sealed: 0, damaged: 0 }
    record = toFound(now)
  }
}

/** How many values of a record are sealed with each key; those that do not open with theirs count for nobody. */
export function countKids(
  sealer: Sealer,
  known: ReadonlySet<string>,
  kind: RecordKind,
  record: FoundRecord,
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const member of sealedMembers(kind, record)) {
    const kid = sealedWith(member.sealed)
    if (kid === undefined || member.provesKey) continue
    // Without its key nobody can tell.
    if (known.has(kid) && tryOpen(sealer, member) === undefined) continue
    counts.set(kid, (counts.get(kid) ?? 0) + 1)
  }
  return counts
}

function tryOpen(sealer: Sealer, member: SealedMember): Buffer | undefined {
  try {
    return openMember(sealer, member)
  } catch (error) {
    if (error instanceof SealedValueError) return undefined
    throw error
  }
}
