import { randomId } from '@svc/platform'
import slotOf from 'cluster-key-slot'
import type { TagBytes } from './redis-bytes.ts'

/** How full the fullest of so many nodes is, above the mean. */
export interface Balance {
  readonly nodes: number
  /** Shares: 0.02 is two per cent over the mean. */
  readonly keys: number
  readonly bytes: number
}

export interface SlotFigures {
  readonly instances: number
  /** Of the emptiest, the median and the fullest slot. */
  readonly keys: readonly [number, number, number]
  readonly bytes: readonly [number, number, number]
  readonly balances: readonly Balance[]
}

export interface SlotInput {
  readonly instances: number
  /** Of an instance of the stated mix. */
  readonly ofInstance: Readonly<TagBytes>
  /** Shared tags, as large as they are with so many instances. */
  readonly shared: ReadonlyMap<string, Readonly<TagBytes>>
}

const SLOTS = 16_384
const NODES = [3, 6, 12]

/** Puts random ids and shared tags into their slots, and the slots on nodes as `redis-cli --cluster create` does. */
export function computeSlots({ instances, ofInstance, shared }: SlotInput): SlotFigures {
  const keys = new Float64Array(SLOTS)
  const bytes = new Float64Array(SLOTS)
  const add = (tag: string, { keys: more, bytes: size }: Readonly<TagBytes>): void => {
    const slot = slotOf(`{${tag}}`)
    keys[slot] = (keys[slot] ?? 0) + more
    bytes[slot] = (bytes[slot] ?? 0) + size
  }
  for (let i = 0; i < instances; i += 1) add(randomId(), ofInstance)
  for (const [tag, size] of shared) add(tag, size)
  return {
    instances,
    keys: spread(keys),
    bytes: spread(bytes),
    balances: NODES.map((nodes) => ({
      nodes,
      keys: overMean(keys, nodes),
      bytes: overMean(bytes, nodes),
    })),
  }
}

function spread(values: Float64Array): [number, number, number] {
  const sorted = values.toSorted()
  return [sorted[0] ?? 0, sorted[SLOTS / 2] ?? 0, sorted[SLOTS - 1] ?? 0]
}

function overMean(values: Float64Array, nodes: number): number {
  const sums = Array.from({ length: nodes }, (_, node) =>
    values
      .subarray(Math.round((SLOTS * node) / nodes), Math.round((SLOTS * (node + 1)) / nodes))
      .reduce((sum, value) => sum + value, 0),
  )
  const mean = sums.reduce((sum, value) => sum + value, 0) / nodes
  return Math.max(...sums) / mean - 1
}
