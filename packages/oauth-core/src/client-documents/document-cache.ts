import { createHash } from 'node:crypto'
import { type Change, type IndexKey, indexKey, type Key, secretKey, type Store } from '@svc/store'

/** The bytes of a document that was found good, for everybody. Milliseconds since the epoch. */
export interface CachedDocument {
  readonly text: string
  readonly fetchedAt: number
  readonly freshUntil: number
}

/** How many parts the cache has, each of which is bounded for itself; part of what is stored, never changed. */
const SHARDS = 64
/** SPEC: assistants.md 2.5 - at most 5 000 documents. */
const MOST_OF_SHARD = Math.floor(5000 / SHARDS)
export const DOCUMENT_KIND = 'cimd-document'
export const DOCUMENT_INDEX = 'cimd-documents'

/** The tags under which documents are kept: they are no instance's. */
export const DOCUMENT_TAGS: readonly string[] = Array.from({ length: SHARDS }, (_, shard) =>
  tagOf(shard),
)

/** Documents that every process and instance may use until they have to be read anew. Nothing else is ever kept. */
export class DocumentCache {
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  async get(url: string): Promise<CachedDocument | undefined> {
    return (await this.#store.get<StoredDocument>(documentKey(url)))?.value
  }

  async put(url: string, { text, fetchedAt, freshUntil }: CachedDocument): Promise<void> {
    const index = documentsIndex(url)
    const sort = `${String(fetchedAt).padStart(15, '0')}:${digestOf(url)}`
    await this.#store.write([
      {
        op: 'put',
        key: documentKey(url),
        value: { text, fetchedAt, freshUntil },
        expiresAt: freshUntil,
        indexes: [{ index, sort }],
      },
    ])
    await this.#dropOldest(index)
  }

  async #dropOldest(index: IndexKey): Promise<void> {
    const { records } = await this.#store.list(index, { limit: MOST_OF_SHARD + 10 })
    const tooMany = records.slice(0, Math.max(0, records.length - MOST_OF_SHARD))
    for (const { key, revision } of tooMany) {
      // One that was read anew meanwhile is no longer among the oldest.
      const change: Change = { op: 'delete', key, ifRevision: revision }
      await this.#store.write([change])
    }
  }
}

/** What {@link CachedDocument} is to the store. */
type StoredDocument = { readonly [Name in keyof CachedDocument]: CachedDocument[Name] }

/** Under which tag what is known of an address stands. */
export function documentTag(url: string): string {
  const [first = 0] = createHash('sha256').update(url).digest()
  return tagOf(first % SHARDS)
}

function tagOf(shard: number): string {
  return `cimd-${shard}`
}

function documentKey(url: string): Key {
  return secretKey(documentTag(url), DOCUMENT_KIND, url)
}

function documentsIndex(url: string): IndexKey {
  return indexKey(documentTag(url), DOCUMENT_INDEX)
}

function digestOf(url: string): string {
  return createHash('sha256').update(url).digest('base64url')
}
