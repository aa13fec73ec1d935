import { checkRecordKind, type RecordKind } from './record-kind.ts'

/** The kinds of records that a server keeps: those of the packages, and what a host declares beside them. */
export class RecordRegistry {
  readonly #kinds = new Map<string, RecordKind>()

  /**
   * @throws TypeError for a kind that is malformed, or declared twice
   */
  declare(kinds: readonly RecordKind[]): void {
    for (const kind of kinds) {
      checkRecordKind(kind)
      const known = this.#kinds.get(kind.kind)
      if (known !== undefined && known !== kind) {
        throw new TypeError(`the record kind ${kind.kind} is declared twice`)
      }
      this.#kinds.set(kind.kind, kind)
    }
  }

  get(kind: string): RecordKind | undefined {
    return this.#kinds.get(kind)
  }

  /** All kinds, by name. */
  all(): readonly RecordKind[] {
    return [...this.#kinds.values()].toSorted((a, b) => (a.kind < b.kind ? -1 : 1))
  }

  /** Those of instances: a kind comes after the one by whose records it is found. */
  ofInstances(): readonly RecordKind[] {
    return inOrder(this.all().filter(({ tags }) => tags === 'instance'))
  }

  /** Those under a shared tag, in the same order. */
  ofTag(tag: string): readonly RecordKind[] {
    return inOrder(this.all().filter(({ tags }) => tags !== 'instance' && tags.includes(tag)))
  }

  /** Every shared tag that a kind names. */
  sharedTags(): readonly string[] {
    const tags = this.all().flatMap((kind) => (kind.tags === 'instance' ? [] : kind.tags))
    return [...new Set(tags)].toSorted()
  }
}

function inOrder(kinds: readonly RecordKind[]): readonly RecordKind[] {
  const left = new Map(kinds.map((kind) => [kind.kind, kind]))
  const ordered: RecordKind[] = []
  function take(kind: RecordKind): void {
    if (!left.delete(kind.kind)) return
    const parent = 'parent' in kind.places ? left.get(kind.places.parent) : undefined
    if (parent !== undefined) take(parent)
    ordered.push(kind)
  }
  for (const kind of kinds) take(kind)
  return ordered
}
