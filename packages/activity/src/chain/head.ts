import { type Sealer, SealedValueError } from '@svc/platform'
import type { Json } from '@svc/store'
import { canonical } from './entry.ts'

/** The segment that grows. */
export type OpenSegment = Readonly<Record<string, Json>> & {
  readonly first: number
  readonly firstPrev: string
  readonly count: number
  /** Of its first entry, milliseconds since the epoch. */
  readonly since: number
}

/** Where the chain ends. */
export type Head = Readonly<Record<string, Json>> & {
  readonly chain: string
  readonly seq: number
  readonly hash: string
  /** Of its entry, milliseconds since the epoch. */
  readonly time: number
  /** Proves that this server wrote it. */
  readonly seal: string
  readonly segment: OpenSegment
}

/** A segment that is complete. Once its entries are going or gone it is the anchor from which verification goes on. */
export type Segment = Readonly<Record<string, Json>> & {
  readonly chain: string
  readonly first: number
  readonly last: number
  readonly firstPrev: string
  readonly lastHash: string
  readonly count: number
  /** Of its last entry, milliseconds since the epoch. */
  readonly time: number
  readonly seal: string
  readonly state: 'kept' | 'going' | 'pruned'
}

const INFO = 'svc/activity/v1'

/** How a seal of a record is bound to its instance, for the reseal, too. */
export function sealContext(
  instanceId: string,
  signed: string,
): { readonly salt: string; readonly info: string; readonly signed: string } {
  return { salt: instanceId, info: INFO, signed }
}

/** What the seal of a head says. */
export function headText({ chain, seq, hash, time }: Omit<Head, 'seal' | 'segment'>): string {
  return canonical({ chain, seq, hash, time } as Json)
}

/** What the seal of a segment says. */
export function segmentText(segment: Omit<Segment, 'seal' | 'state'>): string {
  const { chain, first, last, firstPrev, lastHash, count, time } = segment
  return canonical({ chain, first, last, firstPrev, lastHash, count, time } as Json)
}

export function sealOf(sealer: Sealer, instanceId: string, text: string): string {
  return sealer.derive(instanceId, INFO).sign(text)
}

/** What a seal proves; whoever has the store alone can name a key that nobody has. */
export type SealState = 'right' | 'unknown_key' | 'wrong'

/** Whether this server sealed the text. */
export function stateOfSeal(
  sealer: Sealer,
  instanceId: string,
  { seal, text }: { readonly seal: string; readonly text: string },
): SealState {
  try {
    sealer.derive(instanceId, INFO).verify(seal, text)
    return 'right'
  } catch (error) {
    // A key that is there and does not fit is the cause of the error.
    const isUnknown = error instanceof SealedValueError && error.cause === undefined
    return isUnknown ? 'unknown_key' : 'wrong'
  }
}
