import { createHash } from 'node:crypto'
import { DAY_MS, type Instance } from '@svc/platform'
import {
  type Change,
  indexKey,
  type Json,
  type Key,
  type Page,
  recordKey,
  type Store,
  type StoredRecord,
} from '@svc/store'
import type { DiskQuota } from '../quota/disk-quota.ts'
import { type Fields, type StoredDocument, VERSIONS_INDEX } from './document-store.ts'

/** What a document was before a client changed or deleted it. */
export type DocumentVersion = {
  readonly type: string
  readonly id: string
  /** The revision that it had. */
  readonly rev: string
  /** What the document was called. */
  readonly title: string
  /** Of the client: its id, and what it called itself. */
  readonly client: string
  readonly clientName: string
  /** Whether the client deleted the document. */
  readonly isDeleted: boolean
  /** Milliseconds since the epoch. */
  readonly at: number
  /** Gone once the owner put them back. */
  readonly fields?: Fields
}

/** A version as it is stored; its revision is that which the document had after the change. */
export type KeptVersion = StoredRecord<DocumentVersion>

/** @see assistants.md 6.6 */
export const VERSIONS_KEPT_MS: number = 30 * DAY_MS
const KIND = 'document-before'
/** Of an instance: as many as there may be documents. */
const MAX_VERSIONS = 100_000

export interface DocumentVersionsOptions {
  readonly store: Store
  readonly clock: { now(): number }
  readonly quota?: Pick<DiskQuota, 'admit'>
}

/** Versions of documents from before what clients did to them. A revision is replaced once, so it names its version. */
export class DocumentVersions {
  readonly #options: DocumentVersionsOptions

  constructor(options: DocumentVersionsOptions) {
    this.#options = options
  }

  /**
   * The change that keeps a version, for the very write that replaces or deletes it.
   * @throws OAuthError `quota_exceeded`
   */
  async keep(
    instance: Instance,
    { type, id, rev, fields }: StoredDocument,
    about: Pick<DocumentVersion, 'client' | 'clientName' | 'isDeleted' | 'title'>,
  ): Promise<Change> {
    const { clock, quota } = this.#options
    const change = changeOf(instance, { type, id, rev, fields, at: clock.now(), ...about })
    if (!about.isDeleted) {
      const bytes = Buffer.byteLength(change.key) + Buffer.byteLength(JSON.stringify(change.value))
      await quota?.admit(instance, { bytes, kind: KIND, most: MAX_VERSIONS })
    }
    return change
  }

  /** The version of a document with this revision, where a client replaced or deleted it. */
  async find(
    instance: Instance,
    type: string,
    id: string,
    rev: string,
  ): Promise<KeptVersion | undefined> {
    return this.#options.store.get<DocumentVersion>(keyOf(instance, nameOf(type, id, rev)))
  }

  /** Several by their names, in their order. */
  async named(
    instance: Instance,
    names: readonly string[],
  ): Promise<readonly (KeptVersion | undefined)[]> {
    if (names.length === 0) return []
    return this.#options.store.getMany<DocumentVersion>(names.map((name) => keyOf(instance, name)))
  }

  /** All of an instance, newest first. @throws TypeError for a malformed cursor */
  list(
    instance: Instance,
    page: { readonly limit: number; readonly cursor?: string },
  ): Promise<Page<DocumentVersion>> {
    const index = indexKey(instance.id, VERSIONS_INDEX)
    return this.#options.store.list<DocumentVersion>(index, { ...page, order: 'desc' })
  }

  /**
   * The change that empties a version, for the very write that puts it back. It stays for as long as it would have, so
   * that what came before it can be put back as well.
   */
  empty(instance: Instance, { value, revision }: KeptVersion): Change {
    const { fields: _, ...rest } = value
    return { ...changeOf(instance, rest), ifRevision: revision }
  }
}

/** What names a version in addresses: neither a type nor an id says anything there. */
export function nameOf(type: string, id: string, rev: string): string {
  const name = JSON.stringify([type, id, rev])
  return createHash('sha256').update(name).digest('base64url').slice(0, 32)
}

function changeOf(instance: Instance, version: DocumentVersion) {
  const { type, id, rev, at } = version
  const name = nameOf(type, id, rev)
  return {
    op: 'put' as const,
    key: keyOf(instance, name),
    value: version as Json,
    expiresAt: at + VERSIONS_KEPT_MS,
    indexes: [
      {
        index: indexKey(instance.id, VERSIONS_INDEX),
        sort: `${String(at).padStart(15, '0')}:${name}`,
      },
    ],
  }
}

function keyOf(instance: Instance, name: string): Key {
  return recordKey(instance.id, KIND, name)
}
