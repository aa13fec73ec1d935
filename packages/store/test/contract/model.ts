import type { Json, Revision } from '../../src/index.ts'

/** A change as the model knows it: names instead of keys. */
export interface ModelChange {
  readonly op: 'put' | 'delete' | 'touch' | 'revise' | 'check'
  readonly id: string
  readonly value: Json
  readonly expiresAt: number | undefined
  readonly entries: readonly (readonly [index: string, sort: string])[]
  readonly condition: 'none' | 'ifAbsent' | 'ifPresent' | 'ifRevision' | 'ifOldRevision'
}

interface ModelRecord {
  readonly value: Json
  readonly revision: Revision
  readonly expiresAt: number | undefined
  readonly entries: ModelChange['entries']
}

/** The store as plain maps, without time, disk or network: what both engines must agree with. */
export class Model {
  readonly records: Map<string, ModelRecord> = new Map()
  readonly counters: Map<string, { count: number; resetsAt: number }> = new Map()
  /** The newest revision that each id ever had, and one before it. */
  readonly revisions: Map<string, Revision[]> = new Map()
  now: number

  constructor(now: number) {
    this.now = now
  }

  live(id: string): ModelRecord | undefined {
    const record = this.records.get(id)
    if (record === undefined) return undefined
    return record.expiresAt === undefined || record.expiresAt > this.now ? record : undefined
  }

  /** Names the change whose condition fails, if any. */
  failing(changes: readonly ModelChange[]): string | undefined {
    return changes.find((change) => !this.#passes(change))?.id
  }

  #passes({ op, id, condition }: ModelChange): boolean {
    const record = this.live(id)
    if (op === 'revise' && record === undefined) return false
    if (condition === 'ifAbsent') return record === undefined
    if (condition === 'ifPresent') return record !== undefined
    if (condition === 'ifRevision') return record?.revision === this.demanded(id, condition)
    // A revision that never was demands nothing: the test leaves it out.
    if (condition === 'ifOldRevision') return this.demanded(id, condition) === undefined
    return true
  }

  /** The revision that a change with this condition names. */
  demanded(id: string, condition: ModelChange['condition']): Revision | undefined {
    const known = this.revisions.get(id) ?? []
    // No store makes this one.
    if (condition === 'ifRevision') return this.live(id)?.revision ?? ('none' as Revision)
    return condition === 'ifOldRevision' ? known.at(-2) : undefined
  }

  apply(changes: readonly ModelChange[], revision: Revision): void {
    for (const { op, id, value, expiresAt, entries } of changes) {
      const live = this.live(id)
      const isDead = expiresAt !== undefined && expiresAt <= this.now
      if (op === 'delete' || ((op === 'put' || op === 'touch') && isDead)) this.records.delete(id)
      else if (op === 'revise' && live !== undefined) this.#set(id, { ...live, revision, value })
      else if (op === 'put') this.#set(id, { value, revision, expiresAt, entries })
      else if (op === 'touch' && live !== undefined) this.#set(id, { ...live, revision, expiresAt })
    }
  }

  #set(id: string, record: ModelRecord): void {
    this.revisions.set(id, [...(this.revisions.get(id) ?? []), record.revision])
    this.records.set(id, record)
  }

  take(id: string): ModelRecord | undefined {
    const record = this.live(id)
    this.records.delete(id)
    return record
  }

  hit(id: string, windowMs: number, by: number): { count: number; resetsAt: number } {
    const stored = this.counters.get(id)
    const open = stored !== undefined && stored.resetsAt > this.now ? stored : undefined
    if (open === undefined && by <= 0) return { count: 0, resetsAt: this.now }
    const count = Math.max(0, (open?.count ?? 0) + by)
    const window = { count, resetsAt: open?.resetsAt ?? this.now + windowMs }
    this.counters.set(id, window)
    return window
  }

  /** Ids under an index, in order. */
  list(index: string): string[] {
    const members: [sort: string, id: string][] = []
    for (const [id, { entries }] of this.records) {
      if (this.live(id) === undefined) continue
      const sorts = new Set(entries.filter(([name]) => name === index).map(([, sort]) => sort))
      for (const sort of sorts) members.push([sort, id])
    }
    const bytes = (text: string): Buffer => Buffer.from(text)
    return members
      .toSorted(([one, id], [other, otherId]) => {
        return Buffer.compare(bytes(one), bytes(other)) || Buffer.compare(bytes(id), bytes(otherId))
      })
      .map(([, id]) => id)
  }
}
