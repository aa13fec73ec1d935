import { createHash } from 'node:crypto'
import { indexKey, type IndexEntry, type IndexKey, type Key, recordKey } from '@svc/store'
import type { Entry } from './entry.ts'
import type { Segment } from './head.ts'

/** Indexes of an instance that hold entries, by what one looks for. */
export const ENTRIES = 'activity'
export const PENDING = 'activity-pending'
export const SEGMENTS = 'activity-segments'
/** Days whose refusals have their common entry. */
export const REFUSALS = 'activity-refusals'
/** Days whose uses are still counted. */
export const USES = 'activity-uses'
/** Segments of which entries may still be there. */
export const KEPT_SEGMENTS = 'activity-kept-segments'

const SEQ_DIGITS = 12

export function seqText(seq: number): string {
  return String(seq).padStart(SEQ_DIGITS, '0')
}

export function entryKey(instanceId: string, seq: number): Key {
  return recordKey(instanceId, 'activity', seqText(seq))
}

export function pendingKey(instanceId: string, id: string): Key {
  return recordKey(instanceId, 'activity-pending', id)
}

export function headKey(instanceId: string): Key {
  return recordKey(instanceId, 'activity-head', 'head')
}

export function segmentKey(instanceId: string, first: number): Key {
  return recordKey(instanceId, 'activity-segment', seqText(first))
}

export function checkKey(instanceId: string): Key {
  return recordKey(instanceId, 'activity-check', 'last')
}

export function useKey(instanceId: string, id: string): Key {
  return recordKey(instanceId, 'activity-use', id)
}

/** The record of the instance itself: while it is there, the instance is. */
export function instanceKey(instanceId: string): Key {
  return recordKey(instanceId, 'instance', 'record')
}

/** Name of the index with what somebody did. */
export function actorIndex(kind: string, id: string): string {
  return `activity-actor:${createHash('sha256').update(`${kind}:${id}`).digest('hex')}`
}

export function groupIndex(group: string): string {
  return `activity:${group}`
}

/** Name of the index with what was refused. */
export const REFUSED = 'activity-refused'

/** All indexes of an entry. */
export function entryIndexes(instanceId: string, entry: Entry): readonly IndexEntry[] {
  const sort = seqText(entry.seq)
  const { kind = '', id = '' } = entry.actor
  const target = entry['target'] as Readonly<Record<string, string>> | undefined
  const names = new Set([
    ENTRIES,
    groupIndex(entry.group),
    actorIndex(kind, id),
    // What was done to an app belongs to what it did.
    ...(target === undefined ? [] : [actorIndex(target['kind'] ?? '', target['id'] ?? '')]),
    ...(entry.outcome === 'refused' ? [REFUSED] : []),
  ])
  return [...names].map((name) => ({ index: indexKey(instanceId, name), sort }))
}

export function segmentIndexes(
  instanceId: string,
  { first, state }: Pick<Segment, 'first' | 'state'>,
): readonly IndexEntry[] {
  const names = state === 'pruned' ? [SEGMENTS] : [SEGMENTS, KEPT_SEGMENTS]
  return names.map((name) => ({ index: indexKey(instanceId, name), sort: seqText(first) }))
}

export function index(instanceId: string, name: string): IndexKey {
  return indexKey(instanceId, name)
}
