import {
  compiledSchema,
  findRecords,
  HOUR_MS,
  type FoundRecord,
  type RecordKind,
  type RecordRegistry,
  sealedMembers,
  toFound,
} from '@svc/platform'
import type { Json, Key, Store, StoredRecord } from '@svc/store'

/** What was stored while somebody looked, and what was wrong with it. */
export interface RecordObserver {
  /** Kinds that were stored, counters included. */
  readonly kinds: ReadonlySet<string>
  /** Sentences without values. */
  readonly faults: ReadonlySet<string>
  /** Looks at a record that was stored before. */
  look(record: StoredRecord): void
}

/** The two forms of sealed texts, at the length of a real one. */
const DERIVED = /^v1\.[A-Za-z0-9_-]{1,32}\.[A-Za-z0-9_-]{16}\.[A-Za-z0-9_-]{22,}$/
const PLAIN = /^[A-Za-z0-9_-]{1,32}\.[A-Za-z0-9_-]{38,}$/

/** Looks at everything that is written from now on. */
export function observeRecords(store: Store, registry: RecordRegistry): RecordObserver {
  const kinds = new Set<string>()
  const faults = new Set<string>()
  const write = store.write.bind(store)
  const hit = store.hit.bind(store)

  function look(record: StoredRecord): RecordKind | undefined {
    const found = toFound(record)
    const kind = registry.get(found.kind)
    kinds.add(found.kind)
    if (kind === undefined) {
      faults.add(`${found.kind}: nobody declares it`)
      return undefined
    }
    for (const fault of faultsOf(kind, found)) faults.add(`${found.kind}: ${fault}`)
    return kind
  }

  /** Looks again while somebody changes the record: what is written meanwhile need not be among those that are found. */
  async function isFound(kind: RecordKind, key: Key): Promise<boolean> {
    const { tag } = toFound({ key, value: null } as StoredRecord)
    for (;;) {
      const before = await store.get(key)
      if (before === undefined) return true
      for await (const one of findRecords(registry, store, tag, (each) => each === kind)) {
        if (one.key === key) return true
      }
      const after = await store.get(key)
      if (after?.revision === before.revision) return false
    }
  }

  store.write = async (changes, options) => {
    const result = await write(changes, options)
    if (!result.written) return result
    for (const change of changes) {
      if (change.op !== 'put') continue
      const value = JSON.parse(JSON.stringify(change.value)) as Json
      const kind = look({ key: change.key, value, revision: result.revision })
      const isLongLived = (change.expiresAt ?? Number.POSITIVE_INFINITY) - Date.now() > HOUR_MS
      if (kind !== undefined && isLongLived && !(await isFound(kind, change.key))) {
        faults.add(`${kind.kind}: lives longer than an hour, and the registry does not find it`)
      }
    }
    return result
  }
  store.hit = (counter, ...rest) => {
    const { kind } = toFound({ key: counter, value: null } as StoredRecord)
    kinds.add(kind)
    if (registry.get(kind)?.isCounter !== true) faults.add(`${kind}: nobody declares the counter`)
    return hit(counter, ...rest)
  }
  return { kinds, faults, look: (record) => void look(record) }
}

function faultsOf(kind: RecordKind, record: FoundRecord): readonly string[] {
  const { tags, schema } = kind
  const check = compiledSchema<Json>(schema, { allowUnionTypes: true })
  const isValid = check(record.value)
  const declared = new Set(sealedMembers(kind, record).map(({ path }) => path.join('.')))
  const undeclared = textsOf(record.value)
    .filter(([, text]) => DERIVED.test(text) || PLAIN.test(text))
    .filter(([path]) => !declared.has(path))
  return [
    ...(tags === 'instance' || tags.includes(record.tag) ? [] : ['it stands under another tag']),
    ...(isValid ? [] : (check.errors ?? [])).map(
      (error) => `${error.instancePath} ${error.message}`,
    ),
    ...undeclared.map(([path]) => `nobody declares that ${path} is sealed`),
  ]
}

function textsOf(value: Json | undefined, path: readonly string[] = []): [string, string][] {
  if (typeof value === 'string') return [[path.join('.'), value]]
  if (value === null || typeof value !== 'object') return []
  return Object.entries(value).flatMap(([name, member]: [string, Json | undefined]) =>
    textsOf(member, [...path, name]),
  )
}
