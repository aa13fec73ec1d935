import type { Instance } from '@svc/platform'
import type { DiskQuota } from '../quota/disk-quota.ts'
import {
  type Change,
  type IndexKey,
  indexKey,
  type Json,
  type Key,
  recordKey,
  type Store,
} from '@svc/store'

/** The fields of a document; names that start with `_` are the server's. */
export type Fields = { readonly [name: string]: Json | undefined }

/** A small JSON document of an instance. */
export interface StoredDocument {
  readonly type: string
  readonly id: string
  /** Changes with every write. */
  readonly rev: string
  readonly fields: Fields
}

export interface DocumentPage {
  readonly documents: readonly StoredDocument[]
  readonly cursor?: string
}

/** What a write expects to find: nothing, a revision, or anything. */
export type Expectation = { readonly rev: string } | 'absent' | 'any'

/** Documents by type and id. */
export interface DocumentStore {
  get(instance: Instance, type: string, id: string): Promise<StoredDocument | undefined>
  /** In the order of ids. */
  list(
    instance: Instance,
    type: string,
    page: { readonly limit?: number; readonly cursor?: string },
  ): Promise<DocumentPage>
  /**
   * The new revision, or undefined when the expectation failed.
   * @param also - changes of the same instance that belong into the very write
   * @throws OAuthError `quota_exceeded`
   */
  put(
    instance: Instance,
    document: Omit<StoredDocument, 'rev'>,
    expected: Expectation,
    also?: readonly Change[],
  ): Promise<string | undefined>
  /** False when the expectation failed. `also`: as above. */
  delete(
    instance: Instance,
    type: string,
    id: string,
    expected: Expectation,
    also?: readonly Change[],
  ): Promise<boolean>
  /** Removes every document of an instance, and what documents were before. */
  removeAll(instance: Instance): Promise<void>
}

const KIND = 'document'
/** Index of an instance: what documents were before, oldest first. */
export const VERSIONS_INDEX = 'documents-before'
/** Of an instance. @see operation.md 8.1 */
const MAX_DOCUMENTS = 100_000

interface Stored {
  readonly type: string
  readonly id: string
  readonly fields: Fields
}

/** The change that stores a document, whatever was there before: for writes that hold more than one. */
export function documentChange(
  instance: Instance,
  { type, id, fields }: Omit<StoredDocument, 'rev'>,
): Change & { readonly op: 'put' } {
  return {
    op: 'put',
    key: keyOf(instance, type, id),
    value: { type, id, fields },
    indexes: [
      { index: indexKey(instance.id, `documents:${type}`), sort: id },
      { index: indexKey(instance.id, 'documents'), sort: `${type}/${id}` },
    ],
  }
}

/** @param quota - what instances may keep; without it there is no end, for those who only read */
export function createDocumentStore(store: Store, quota?: Pick<DiskQuota, 'admit'>): DocumentStore {
  return {
    async get(instance, type, id) {
      const record = await store.get(keyOf(instance, type, id))
      return record && toDocument(record.value, record.revision)
    },
    async list(instance, type, request) {
      const page = await store.list(indexKey(instance.id, `documents:${type}`), request)
      return {
        documents: page.records.map(({ value, revision }) => toDocument(value, revision)),
        ...(page.cursor !== undefined && { cursor: page.cursor }),
      }
    },
    async put(instance, { type, id, fields }, expected, also = []) {
      const key = keyOf(instance, type, id)
      const before = expected === 'absent' ? undefined : await store.get(key)
      if (typeof expected === 'object' && before?.revision !== expected.rev) return undefined
      const change = documentChange(instance, { type, id, fields })
      await quota?.admit(instance, {
        bytes: bytesOf(key, change.value) - (before === undefined ? 0 : bytesOf(key, before.value)),
        ...(before === undefined && { kind: KIND, most: MAX_DOCUMENTS }),
      })
      const result = await store.write([
        {
          ...change,
          ...(expected === 'absent' && { ifAbsent: true as const }),
          ...(before !== undefined && expected !== 'any' && { ifRevision: before.revision }),
        },
        ...also,
      ])
      return result.written ? result.revision : undefined
    },
    async delete(instance, type, id, expected, also = []) {
      const key = keyOf(instance, type, id)
      const before = await store.get(key)
      if (before === undefined) return false
      if (typeof expected === 'object' && before.revision !== expected.rev) return false
      const change: Change =
        typeof expected === 'object'
          ? { op: 'delete', key, ifRevision: before.revision }
          : { op: 'delete', key, ifPresent: true }
      return (await store.write([change, ...also])).written
    },
    async removeAll(instance) {
      await removeListed(store, indexKey(instance.id, 'documents'))
      await removeListed(store, indexKey(instance.id, VERSIONS_INDEX))
    },
  }
}

async function removeListed(store: Store, index: IndexKey): Promise<void> {
  for (;;) {
    const page = await store.list(index)
    if (page.records.length > 0) {
      await store.write(page.records.map(({ key }) => ({ op: 'delete', key })))
    } else if (page.cursor === undefined) {
      return
    }
  }
}

/** As the store counts them. */
function bytesOf(key: Key, value: Json): number {
  return Buffer.byteLength(key) + Buffer.byteLength(JSON.stringify(value))
}

function keyOf(instance: Instance, type: string, id: string): Key {
  return recordKey(instance.id, KIND, `${type}/${id}`)
}

function toDocument(value: Json, rev: string): StoredDocument {
  const { type, id, fields } = value as unknown as Stored // Only this file writes these records.
  return { type, id, rev, fields }
}
