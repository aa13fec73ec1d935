import {
  type Change,
  indexKey,
  type IndexKey,
  type Key,
  recordKey,
  type Store,
  type StoredRecord,
} from '@svc/store'
import { DAY_MS } from '../durations.ts'

/** What is noted of a sealing key since its first use. */
export interface SealingKeyNote {
  readonly [name: string]: string | number | undefined
  readonly kid: string
  /** A constant, sealed with the key. */
  readonly check: string
  readonly firstUsedAt: number
  /** When a process started last that seals with it. */
  readonly startedAt?: number
  /** `empty`: nothing is sealed with it any more, so nobody needs it. */
  readonly state: 'active' | 'empty'
  /** How many values were sealed with it when they were last counted. */
  readonly values?: number
  /** Until when links of mails may have been sealed with it; 0: never. @see operation.md 3.7 */
  readonly sealedLinksUntil?: number
}

export const SEALING_KEYS_INDEX: IndexKey = indexKey('host', 'sealing-keys')

/** Of every key that ever sealed first. */
export async function readNotes(store: Store): Promise<readonly StoredRecord<SealingKeyNote>[]> {
  return (await store.list<SealingKeyNote>(SEALING_KEYS_INDEX)).records
}

/** Stores a note; the write fails when another process changed it meanwhile. */
export function noteChange(
  note: SealingKeyNote,
  before: StoredRecord<SealingKeyNote> | undefined,
): Change {
  return {
    op: 'put',
    key: noteKey(note.kid),
    value: note,
    indexes: [{ index: SEALING_KEYS_INDEX, sort: note.kid }],
    ...(before === undefined ? { ifAbsent: true } : { ifRevision: before.revision }),
  }
}

function noteKey(kid: string): Key {
  return recordKey('host', 'sealing-key', kid)
}

/** Mails are kept for this long, and with them their links. Milliseconds. @see operation.md 3.7 */
const LINKS_LIVE_MS = 400 * DAY_MS

/** Links of mails that were sent until this instant need the key; undefined once nobody keeps such mails. */
export function linksUntil(note: SealingKeyNote | undefined, now: number): number | undefined {
  const until = note?.sealedLinksUntil ?? 0
  return until > 0 && now - until < LINKS_LIVE_MS ? until : undefined
}
