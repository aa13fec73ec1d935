import { DAY_MS } from '@svc/platform'
import type { Change, Store, StoredRecord } from '@svc/store'
import { PRUNE_EVERY_MS } from '../lifetimes.ts'
import type { Head, Segment } from './head.ts'
import { entryKey, headKey, index, KEPT_SEGMENTS, segmentIndexes } from './keys.ts'
import { pendingChange } from './pending.ts'

const DELETED_AT_ONCE = 100

export interface PruneOptions {
  readonly store: Store
  readonly clock: { now(): number }
  readonly retentionDays: number
  readonly maxEntries: number
}

/** Takes whole segments from the old end of a chain; what is left of each is its anchor. @see owner.md 5.5 */
export class Pruner {
  readonly #options: PruneOptions
  /** When each instance was looked at by this process. */
  readonly #looked = new Map<string, number>()

  constructor(options: PruneOptions) {
    this.#options = options
  }

  /** Looks at most once an hour. @returns whether something was pruned */
  async look(instanceId: string): Promise<boolean> {
    const now = this.#options.clock.now()
    if (now - (this.#looked.get(instanceId) ?? 0) < PRUNE_EVERY_MS) return false
    for (const [id, at] of this.#looked) if (now - at >= PRUNE_EVERY_MS) this.#looked.delete(id)
    this.#looked.set(instanceId, now)
    return this.prune(instanceId)
  }

  /** @returns whether something was pruned */
  async prune(instanceId: string): Promise<boolean> {
    const { store } = this.#options
    let isPruned = false
    for (;;) {
      const head = await store.get<Head>(headKey(instanceId))
      const { records } = await store.list<Segment>(index(instanceId, KEPT_SEGMENTS), { limit: 1 })
      const [oldest] = records
      if (head === undefined || oldest === undefined || !this.#isOver(oldest.value, head.value)) {
        return isPruned
      }
      await this.#drop(instanceId, oldest)
      isPruned = true
    }
  }

  #isOver({ first, state, time }: Segment, { seq }: Head): boolean {
    const { clock, retentionDays, maxEntries } = this.#options
    if (state === 'going') return true
    return clock.now() - time > retentionDays * DAY_MS || seq - first + 1 > maxEntries
  }

  /** From the first write on the segment is an anchor: whoever verifies begins after it. */
  async #drop(instanceId: string, record: StoredRecord<Segment>): Promise<void> {
    const { store, clock } = this.#options
    const { first, last, state } = record.value
    if (state === 'kept') {
      const detail = { first, last }
      const event = { event: 'record.pruned', actor: { kind: 'server' }, detail } as const
      const going = marked(instanceId, record, 'going')
      await store.write([going, pendingChange(instanceId, event, clock.now())])
      return
    }
    for (let from = first; from <= last; from += DELETED_AT_ONCE) {
      const count = Math.min(DELETED_AT_ONCE, last - from + 1)
      const seqs = Array.from({ length: count }, (_, at) => from + at)
      await store.write(seqs.map((seq) => ({ op: 'delete', key: entryKey(instanceId, seq) })))
    }
    await store.write([marked(instanceId, record, 'pruned')])
  }
}

function marked(
  instanceId: string,
  { key, value, revision }: StoredRecord<Segment>,
  state: Segment['state'],
): Change {
  const indexes = segmentIndexes(instanceId, { first: value.first, state })
  return { op: 'put', key, value: { ...value, state }, indexes, ifRevision: revision }
}
