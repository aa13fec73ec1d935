import {
  indexKey,
  type IndexKey,
  type Json,
  recordKey,
  type Store,
  type StoredRecord,
} from '@svc/store'
import type { FoundRecord, RecordKind } from './record-kind.ts'
import type { RecordRegistry } from './record-registry.ts'

/** Records of a page at most, as the store gives them. */
const PAGE = 100

/**
 * Every live record of a tag that the registry can find, page by page; a record that is written meanwhile may or may
 * not be among them. Of the kinds that nobody looks for there is nothing.
 * @param tag - an instance's id, or a shared tag
 * @param wanted - the kinds that are wanted; those that lead to them are read, too
 * @defaultValue wanted - all
 */
export async function* findRecords(
  registry: RecordRegistry,
  store: Store,
  tag: string,
  wanted: (kind: RecordKind) => boolean = () => true,
): AsyncGenerator<FoundRecord> {
  const kinds = registry.sharedTags().includes(tag) ? registry.ofTag(tag) : registry.ofInstances()
  for (const kind of kinds.filter(wanted)) {
    yield* recordsOf(kind, kinds, store, tag)
  }
}

async function* recordsOf(
  kind: RecordKind,
  kinds: readonly RecordKind[],
  store: Store,
  tag: string,
): AsyncGenerator<FoundRecord> {
  const { places } = kind
  if (places.by === 'nobody') return
  if (places.by === 'ids') {
    yield* byIds(kind.kind, places.ids, store, tag)
  } else if (places.by === 'index') {
    yield* inIndex(kind.kind, indexKey(tag, places.index), store, tag)
  } else if (places.by === 'indexes') {
    for (const index of places.indexes) yield* inIndex(kind.kind, indexKey(tag, index), store, tag)
  } else {
    const parent = kinds.find((each) => each.kind === places.parent)
    if (parent === undefined) throw new TypeError(`${kind.kind}: nobody declares ${places.parent}`)
    for await (const record of recordsOf(parent, kinds, store, tag)) {
      if (places.by === 'ids-of') yield* byIds(kind.kind, places.ids(record), store, tag)
      else yield* inIndex(kind.kind, indexKey(tag, places.index(record)), store, tag)
    }
  }
}

async function* byIds(
  kind: string,
  ids: readonly string[],
  store: Store,
  tag: string,
): AsyncGenerator<FoundRecord> {
  for (let at = 0; at < ids.length; at += PAGE) {
    const keys = ids.slice(at, at + PAGE).map((id) => recordKey(tag, kind, id))
    for (const record of await store.getMany(keys)) {
      if (record !== undefined) yield toFound(record)
    }
  }
}

/** An index may hold records of other kinds beside those that are asked for. */
async function* inIndex(
  kind: string,
  index: IndexKey,
  store: Store,
  tag: string,
): AsyncGenerator<FoundRecord> {
  const prefix = `{${tag}}:${kind}:`
  let cursor: string | undefined
  do {
    const page = await store.list(index, cursor === undefined ? {} : { cursor })
    for (const record of page.records) if (record.key.startsWith(prefix)) yield toFound(record)
    cursor = page.cursor
  } while (cursor !== undefined)
}

const KEY = /^\{([^}]+)\}:([^:]+):([\s\S]+)$/

/** @throws TypeError for a key that `recordKey` did not make */
export function toFound<Value extends Json>(record: StoredRecord<Value>): FoundRecord<Value> {
  const [, tag, kind, id] = KEY.exec(record.key) ?? []
  if (tag === undefined || kind === undefined || id === undefined) {
    throw new TypeError('a malformed key')
  }
  return { ...record, tag, kind, id }
}
