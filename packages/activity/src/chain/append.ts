import { randomHex, type Sealer } from '@svc/platform'
import type { Change, StoredRecord } from '@svc/store'
import { CHAINED_AT_ONCE, SEGMENT_ENTRIES } from '../limits.ts'
import {
  type Entry,
  entryAt,
  NO_HASH,
  type Noted,
  notedOf,
  type Place,
  placeAfter,
} from './entry.ts'
import type { Gap } from './gap.ts'
import { type Head, headText, type OpenSegment, sealOf, type Segment, segmentText } from './head.ts'
import { entryIndexes, entryKey, headKey, segmentIndexes, segmentKey } from './keys.ts'

/** What it is put together from. */
export interface AppendOptions {
  readonly sealer: Sealer
  readonly instanceId: string
  readonly now: number
  readonly head: StoredRecord<Head> | undefined
  /** In the order in which they are chained. */
  readonly pending: readonly StoredRecord<Noted>[]
  /** Is named in the chain, before anything else is. */
  readonly gap?: Gap | undefined
}

/** The one write that moves pending events into the chain; whoever comes second loses it. @see owner.md 5.4 */
export function appendChanges(options: AppendOptions): readonly Change[] {
  const { sealer, instanceId, now, head, pending, gap } = options
  // What a gap follows is of no segment that would ever be an anchor.
  const closed = head === undefined || gap ? undefined : closedSegment(options, head.value)
  let segment = closed === undefined && !gap ? head?.value.segment : undefined
  const room = segment === undefined ? SEGMENT_ENTRIES : SEGMENT_ENTRIES - segment.count
  const taken = pending.slice(0, Math.min(room, CHAINED_AT_ONCE))
  const changes: Change[] = []
  let place = gap === undefined ? head && placeAfter(head.value) : placeAfterGap(gap, head?.value)
  let last: Entry | undefined
  const add = (noted: Noted): void => {
    const at = placeFor(noted, place)
    last = entryAt(noted, at)
    place = placeAfter(last)
    segment = grown(segment, last)
    changes.push({
      op: 'put',
      key: entryKey(instanceId, last.seq),
      value: last,
      indexes: entryIndexes(instanceId, last),
      ifAbsent: true,
    })
  }
  if (gap !== undefined) {
    const { reason } = gap
    add(notedOf({ event: 'record.gap', actor: { kind: 'server' }, reason }, now))
  } else if (head === undefined) {
    // Nothing of the chain is older than its start.
    const startedAt = taken[0]?.value.time ?? now
    add(notedOf({ event: 'record.started', actor: { kind: 'server' } }, startedAt))
  }
  for (const { key, value } of taken) {
    changes.push({ op: 'delete', key, ifPresent: true })
    add(withOldChain(value, place))
  }
  if (closed !== undefined) changes.push(closed)
  if (last === undefined || segment === undefined) return changes
  const { chain, seq, hash, time } = last
  const next = { chain, seq, hash, time } as Omit<Head, 'seal' | 'segment'>
  const seal = sealOf(sealer, instanceId, headText(next))
  const condition = head === undefined ? { ifAbsent: true as const } : { ifRevision: head.revision }
  changes.push({
    op: 'put',
    key: headKey(instanceId),
    value: { ...next, seal, segment },
    ...condition,
  })
  return changes
}

/** After everything that is there, so that nothing is written over. */
function placeAfterGap({ last }: Gap, head: Head | undefined): Place | undefined {
  const end = last === undefined || (head !== undefined && head.seq > last.seq) ? head : last
  return end && placeAfter(end)
}

/** What begins a chain stands at its first place, wherever the old one ended. */
function placeFor({ event }: Noted, place: Place | undefined): Place {
  if (place === undefined) return { chain: randomHex(16), seq: 1, prev: NO_HASH }
  if (event !== 'store.restored') return place
  return { chain: randomHex(16), seq: place.seq, prev: NO_HASH }
}

/** The entry after a restore names where the old chain ended (D85). */
function withOldChain(noted: Noted, place: Place | undefined): Noted {
  if (noted.event !== 'store.restored' || place === undefined) return noted
  const { chain, seq, prev } = place
  const detail = { ...(noted['detail'] as object | undefined), chain, seq: seq - 1, hash: prev }
  return { ...noted, detail }
}

function grown(segment: OpenSegment | undefined, entry: Entry): OpenSegment {
  if (segment !== undefined) return { ...segment, count: segment.count + 1 }
  return { first: entry.seq, firstPrev: entry.prev, count: 1, since: entry.time }
}

/** The change that closes the head's segment, when it is full or of another month. */
function closedSegment(
  { sealer, instanceId, now }: AppendOptions,
  { segment, chain, seq, hash, time }: Head,
): Change | undefined {
  const { first, firstPrev, count, since } = segment
  if (count < SEGMENT_ENTRIES && monthOf(since) === monthOf(now)) return undefined
  const closed = { chain, first, last: seq, firstPrev, lastHash: hash, count, time } as Omit<
    Segment,
    'seal' | 'state'
  >
  const seal = sealOf(sealer, instanceId, segmentText(closed))
  return {
    op: 'put',
    key: segmentKey(instanceId, first),
    value: { ...closed, seal, state: 'kept' },
    indexes: segmentIndexes(instanceId, { first, state: 'kept' }),
    ifAbsent: true,
  }
}

/** In UTC: a segment is no owner's month. */
function monthOf(time: number): string {
  return new Date(time).toISOString().slice(0, 7)
}
