import { setImmediate as yieldToOthers } from 'node:timers/promises'
import type { Sealer } from '@svc/platform'
import { type Json, type Store, type StoredRecord } from '@svc/store'
import {
  type Entry,
  type EntryFault,
  faultOf,
  NO_HASH,
  type Place,
  placeAfter,
} from '../chain/entry.ts'
import {
  type Head,
  headText,
  type Segment,
  segmentText,
  type SealState,
  stateOfSeal,
} from '../chain/head.ts'
import { checkKey, entryKey, headKey, index, SEGMENTS } from '../chain/keys.ts'
import { VERIFY_SLICE } from '../limits.ts'

/** What is wrong, and from which entry on nothing can be trusted. */
export interface ChainFault {
  readonly seq: number
  /** `unknown_key`: the seal names a key that is not in the keyring of this server. */
  readonly reason: EntryFault | 'head' | 'seal' | 'shortened' | 'unknown_key'
  /** Time of the last entry that can be trusted, milliseconds since the epoch. */
  readonly after?: number
}

/** What a verification found. */
export interface Verification {
  readonly at: number
  /** Of the last entry that was checked. */
  readonly seq: number
  readonly chain?: string
  readonly unbroken: boolean
  /** Entries that are there. */
  readonly count: number
  /** Time of the first of them, milliseconds since the epoch. */
  readonly since?: number
  readonly fault?: ChainFault
}

export interface VerifyServices {
  readonly store: Store
  readonly sealer: Sealer
  readonly clock: { now(): number }
}

const PAGE = 100

/** Verifies the whole chain of an instance and keeps what it found. @see owner.md 5.3, 5.7 */
export async function verifyChain(
  services: VerifyServices,
  instanceId: string,
): Promise<Verification> {
  const { store, clock } = services
  const before = await lastCheck(store, instanceId)
  const found = await walk(services, instanceId, before)
  const value = { at: clock.now(), ...found }
  await store.write([{ op: 'put', key: checkKey(instanceId), value: value as unknown as Json }])
  return value
}

/** What the last verification found. */
export async function lastCheck(
  store: Store,
  instanceId: string,
): Promise<Verification | undefined> {
  // Stored by `verifyChain`.
  return (await store.get(checkKey(instanceId)))?.value as unknown as Verification | undefined
}

type Found = Omit<Verification, 'at'>

async function walk(
  services: VerifyServices,
  instanceId: string,
  before: Verification | undefined,
): Promise<Found> {
  const { store, sealer } = services
  // The head first: what is chained meanwhile comes after it.
  const head = (await store.get<Head>(headKey(instanceId)))?.value
  const anchors = await anchorsOf(store, instanceId)
  if (head === undefined) return withoutHead(before, anchors)
  const fault = headFault(services, instanceId, head, before)
  if (fault !== undefined) return broken(fault, fault.seq, 0)
  for (const anchor of anchors.values) {
    const sealed = { seal: anchor.seal, text: segmentText(anchor) }
    const reason = sealFault(stateOfSeal(sealer, instanceId, sealed))
    if (reason !== undefined) return broken({ seq: anchor.first, reason }, anchor.first, 0)
  }
  if (anchors.fault !== undefined) return broken(anchors.fault, anchors.fault.seq, 0)
  return walkEntries(store, instanceId, head, anchors.next)
}

function headFault(
  { sealer }: VerifyServices,
  instanceId: string,
  head: Head,
  before: Verification | undefined,
): ChainFault | undefined {
  const sealed = { seal: head.seal, text: headText(head) }
  const reason = sealFault(stateOfSeal(sealer, instanceId, sealed))
  if (reason !== undefined) return { seq: head.seq, reason }
  if (before?.chain !== head.chain || before.seq <= head.seq) return undefined
  return { seq: head.seq + 1, reason: 'shortened', after: head.time }
}

function sealFault(state: SealState): 'seal' | 'unknown_key' | undefined {
  if (state === 'right') return undefined
  return state === 'wrong' ? 'seal' : 'unknown_key'
}

function withoutHead(before: Verification | undefined, { values }: Anchors): Found {
  if ((before?.seq ?? 0) === 0 && values.length === 0) {
    return { unbroken: true, seq: 0, count: 0 }
  }
  return broken({ seq: 1, reason: 'head' }, 0, 0)
}

interface Anchors {
  readonly values: readonly Segment[]
  /** Where the first entry stands that has to be there; undefined: at the beginning of the chain. */
  readonly next: Place | undefined
  readonly fault?: ChainFault
}

/** The anchors of what was pruned, each of which has to go on where the one before ended. */
async function anchorsOf(store: Store, instanceId: string): Promise<Anchors> {
  const values: Segment[] = []
  let next: Place | undefined
  let cursor: string | undefined
  do {
    const page = await store.list<Segment>(
      index(instanceId, SEGMENTS),
      cursor === undefined ? {} : { cursor },
    )
    for (const { value } of page.records) {
      if (value.state === 'kept') return { values, next }
      const first = next ?? { chain: value.chain, seq: 1, prev: NO_HASH }
      const goesOn = value.firstPrev === first.prev || value.firstPrev === NO_HASH
      if (value.first !== first.seq || !goesOn) {
        return { values, next, fault: { seq: first.seq, reason: 'missing' } }
      }
      values.push(value)
      next = placeAfter({ chain: value.chain, seq: value.last, hash: value.lastHash })
    }
    cursor = page.cursor
  } while (cursor !== undefined)
  return { values, next }
}

async function walkEntries(
  store: Store,
  instanceId: string,
  head: Head,
  begin: Place | undefined,
): Promise<Found> {
  let place = begin
  let last: Entry | undefined
  let since: number | undefined
  let count = 0
  const first = begin?.seq ?? 1
  for (let from = first; from <= head.seq; from += PAGE) {
    if (count > 0 && count % VERIFY_SLICE === 0) await yieldToOthers()
    for (const [at, record] of (await entriesFrom(store, instanceId, from, head.seq)).entries()) {
      const fault = recordFault(record, place, from + at)
      if (fault !== undefined || record === undefined) {
        const after = last === undefined ? {} : { after: last.time }
        return broken(
          { seq: from + at, reason: fault ?? 'missing', ...after },
          last?.seq ?? 0,
          count,
        )
      }
      last = record.value
      since ??= last.time
      count += 1
      place = placeAfter(last)
    }
  }
  if (last === undefined || last.hash !== head.hash || last.chain !== head.chain) {
    return broken({ seq: head.seq, reason: 'head' }, head.seq, count)
  }
  const { seq, chain } = head
  return { unbroken: true, seq, chain, count, ...(since !== undefined && { since }) }
}

async function entriesFrom(
  store: Store,
  instanceId: string,
  from: number,
  last: number,
): Promise<readonly (StoredRecord<Entry> | undefined)[]> {
  const length = Math.min(PAGE, last - from + 1)
  const keys = Array.from({ length }, (_, at) => entryKey(instanceId, from + at))
  return store.getMany<Entry>(keys)
}

/** Where nothing came before, the first entry may name any chain; the head names it in the end. */
function recordFault(
  record: StoredRecord<Entry> | undefined,
  place: Place | undefined,
  seq: number,
): EntryFault | undefined {
  if (record === undefined) return 'missing'
  const wanted = place ?? { chain: record.value.chain, seq, prev: NO_HASH }
  return faultOf(record.value, wanted)
}

function broken(fault: ChainFault, seq: number, count: number): Found {
  return { unbroken: false, seq, count, fault }
}
