import type { Store } from '@svc/store'
import { createDirectory, type Directory } from '../instances/directory.ts'
import { findRecords } from '../records/find-records.ts'
import type { FoundRecord, RecordKind } from '../records/record-kind.ts'
import type { RecordRegistry } from '../records/record-registry.ts'

/** A page of a walk over everything. */
export interface WalkPage {
  /** Shared tags, or ids of instances. */
  readonly tags: readonly string[]
  /** Where the next page begins; absent after the last one. */
  readonly next?: string
}

/** Walks over all records with sealed values: those that are shared first, then those of the instances by shard. */
export class SealedWalk {
  readonly #store: Store
  readonly #records: RecordRegistry
  readonly #directory: Directory

  constructor(options: {
    readonly store: Store
    readonly records: RecordRegistry
    readonly clock: { now(): number }
  }) {
    this.#store = options.store
    this.#records = options.records
    this.#directory = createDirectory({
      ...options,
      isKept: () => Promise.resolve(true),
      subdomains: 'nested',
    })
  }

  /** @param place - `next` of the page before; empty: the first */
  async page(place: string): Promise<WalkPage> {
    if (place === '') return { tags: this.#records.sharedTags(), next: '0.' }
    const { ids, cursor } = await this.#directory.list({ cursor: place })
    return { tags: ids, ...(cursor !== undefined && { next: cursor }) }
  }

  async *records(tag: string): AsyncGenerator<{ record: FoundRecord; kind: RecordKind }> {
    const isSealed = (kind: RecordKind): boolean =>
      kind.sealed?.some(({ provesKey }) => provesKey !== true) === true
    for await (const record of findRecords(this.#records, this.#store, tag, isSealed)) {
      const kind = this.#records.get(record.kind)
      if (kind !== undefined) yield { record, kind }
    }
  }
}
