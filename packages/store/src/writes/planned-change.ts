import { jsonText } from './arguments.ts'
import type { Change, IndexEntry, Key } from '../store.ts'

/** A checked change, its value already turned to JSON: later changes of the caller's object do not reach the store. */
export interface PlannedChange {
  readonly op: 'put' | 'delete' | 'touch' | 'revise' | 'check'
  readonly key: Key
  /** JSON text of a put or a revision. */
  readonly text: string
  readonly expiresAt: number | undefined
  /** Index entries of a put, each once, in a fixed order. */
  readonly entries: readonly IndexEntry[]
  readonly ifAbsent: boolean
  readonly ifPresent: boolean
  readonly ifRevision: string | undefined
}

/**
 * Plans a checked change.
 * @param now - a put that is dead on arrival, and a touch into the past, become deletes of what they name: a clock
 *   that jumps back must not revive them
 */
export function planChange(change: Change, now: number): PlannedChange {
  const expiresAt = change.op === 'put' || change.op === 'touch' ? change.expiresAt : undefined
  const isDead = expiresAt !== undefined && expiresAt <= now
  return {
    op: isDead ? 'delete' : change.op,
    key: change.key,
    text: change.op === 'put' || change.op === 'revise' ? jsonText(change.value) : '',
    expiresAt,
    entries: change.op === 'put' ? distinctEntries(change.indexes ?? []) : [],
    ifAbsent: change.ifAbsent === true,
    // What is not there has no expiry and no index entries that could stay.
    ifPresent: change.ifPresent === true || change.op === 'revise',
    ifRevision: change.ifRevision,
  }
}

/** Whether a live record's revision (undefined: none lives) meets the change's condition. */
export function meetsCondition(change: PlannedChange, revision: string | undefined): boolean {
  if (change.ifAbsent && revision !== undefined) return false
  if (change.ifPresent && revision === undefined) return false
  return change.ifRevision === undefined || change.ifRevision === revision
}

function distinctEntries(entries: readonly IndexEntry[]): readonly IndexEntry[] {
  if (entries.length < 2) return entries
  const byMember = new Map(entries.map((entry) => [`${entry.index}\u0000${entry.sort}`, entry]))
  return [...byMember.keys()].sort().flatMap((member) => byMember.get(member) ?? [])
}
