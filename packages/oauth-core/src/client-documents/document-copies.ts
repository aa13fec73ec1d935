import { type IndexKey, indexKey, type Key, secretKey, type Store } from '@svc/store'
import { DOCUMENT_TAGS } from './document-cache.ts'

/** A document that the operator keeps for when it cannot be fetched. */
export type DocumentCopy = {
  readonly url: string
  readonly text: string
  /** When it was given, or fetched last. Milliseconds since the epoch. */
  readonly fetchedAt: number
}

export const COPY_KIND = 'cimd-copy'
export const COPY_INDEX = 'cimd-copies'
/** They are few, and no instance's. */
const [TAG = ''] = DOCUMENT_TAGS
export const COPY_TAGS: readonly string[] = [TAG]
const PAGE = 100

/** The operator's copies, for every instance. @see assistants.md 2.15 */
export class DocumentCopies {
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  async get(url: string): Promise<DocumentCopy | undefined> {
    return (await this.#store.get<DocumentCopy>(copyKey(url)))?.value
  }

  /** By address. */
  async list(): Promise<readonly DocumentCopy[]> {
    const copies: DocumentCopy[] = []
    let cursor: string | undefined
    do {
      const after = cursor === undefined ? {} : { cursor }
      const page = await this.#store.list<DocumentCopy>(COPIES, { limit: PAGE, ...after })
      copies.push(...page.records.map(({ value }) => value))
      cursor = page.cursor
    } while (cursor !== undefined)
    return copies
  }

  async put(copy: DocumentCopy): Promise<void> {
    await this.#store.write([put(copy)])
  }

  /** Puts what was fetched in the place of a copy, where there is one. */
  async replace(copy: DocumentCopy): Promise<void> {
    const stored = await this.#store.get<DocumentCopy>(copyKey(copy.url))
    if (stored === undefined) return
    // Where another writer came first, that one was as new, or removed it.
    await this.#store.write([{ ...put(copy), ifRevision: stored.revision }])
  }

  /** @returns false when there was none */
  async remove(url: string): Promise<boolean> {
    return (await this.#store.take(copyKey(url))) !== undefined
  }
}

const COPIES: IndexKey = indexKey(TAG, COPY_INDEX)

function put(value: DocumentCopy) {
  const indexes = [{ index: COPIES, sort: value.url }]
  return { op: 'put', key: copyKey(value.url), value, indexes } as const
}

function copyKey(url: string): Key {
  return secretKey(TAG, COPY_KIND, url)
}
