import { DAY_MS, type Sealer } from '@svc/platform'
import type { Store, StoredRecord } from '@svc/store'
import type { Entry, Noted } from './entry.ts'
import { type Head, headText, stateOfSeal } from './head.ts'
import { ENTRIES, headKey, index } from './keys.ts'

/** What is read before events are chained. */
export interface ChainEnd {
  readonly head: StoredRecord<Head> | undefined
  /** In the order in which they are chained. */
  readonly pending: readonly StoredRecord<Noted>[]
}

/** The end of a chain is not as this server left it. */
export interface Gap {
  readonly reason: 'head' | 'seal' | 'unknown_key'
  /** The last entry that is there. */
  readonly last: Entry | undefined
}

export interface GapServices {
  readonly store: Store
  readonly sealer: Sealer
  readonly clock: { now(): number }
}

/**
 * Looks at the end of a chain before it goes on: a new head would else seal what somebody else wrote.
 * @returns `moved` when another process just went on, `wait` while its key may still come
 * @see docs/decisions/0417
 */
export async function gapAtEnd(
  { store, sealer, clock }: GapServices,
  instanceId: string,
  { head, pending }: ChainEnd,
): Promise<Gap | 'moved' | 'none' | 'wait'> {
  const entries = index(instanceId, ENTRIES)
  const { records } = await store.list<Entry>(entries, { order: 'desc', limit: 1 })
  const last = records[0]?.value
  if (last?.seq !== head?.value.seq || last?.hash !== head?.value.hash) {
    const now = await store.get(headKey(instanceId))
    return now?.revision === head?.revision ? { reason: 'head', last } : 'moved'
  }
  if (head === undefined) return 'none'
  const sealed = { seal: head.value.seal, text: headText(head.value) }
  const state = stateOfSeal(sealer, instanceId, sealed)
  if (state === 'right') return 'none'
  if (state === 'wrong') return { reason: 'seal', last }
  // The operator may have given the key to another process first.
  const since = pending[0]?.value.time ?? clock.now()
  return clock.now() - since < DAY_MS ? 'wait' : { reason: 'unknown_key', last }
}
