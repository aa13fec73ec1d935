import { isDeepStrictEqual } from 'node:util'
import { type DataPort, type ToolCaller, ToolError } from '@svc/mcp'
import type { Change } from '@svc/store'
import type { Realtime } from '@svc/realtime'
import type { DocumentStore, Fields, StoredDocument } from '../documents/document-store.ts'
import type { DocumentVersions } from '../documents/document-versions.ts'
import { isAllowed, refuseQuota, type SharedDocuments, toWire } from './document-rules.ts'
import { titleOf } from './document-text.ts'

export interface DocumentChangesOptions {
  readonly documents: Pick<DocumentStore, 'delete' | 'get' | 'put'>
  readonly versions: Pick<DocumentVersions, 'find' | 'keep'>
  /** Hears what changed, and knows of which types only the server tells. */
  readonly events: Pick<Realtime, 'isServerType' | 'publish'>
  readonly isShared: SharedDocuments
  /** Whether nothing may grow for now. */
  readonly isSpaceLow: () => boolean
}

/** Of a document of `/data`. */
const MAX_BYTES = 65_536

/**
 * How assistants change and delete documents: what was there before is kept in the same write.
 * @see assistants.md 6.6; docs/decisions/0564, 0565
 */
export function createDocumentChanges(
  options: DocumentChangesOptions,
): Required<Pick<DataPort, 'remove' | 'update'>> {
  const { documents, versions, events, isShared, isSpaceLow } = options

  return {
    async update(caller, { kind, id, revision, fields }, also) {
      const { instance } = caller
      const before = await documents.get(instance, kind, id)
      if (before === undefined || events.isServerType(kind)) throw new ToolError('not_found')
      const after = { type: kind, id, fields: merged(before.fields, fields) }
      if (!isChangeable(caller, before, after)) throw new ToolError('not_found')
      if (before.rev !== revision) return repeated(caller, before, { revision, fields })
      if (await isShared(instance, kind, id)) throw new ToolError('shared_document')
      if (isDeepStrictEqual(after.fields, before.fields)) return { revision, isNew: false }
      if (Buffer.byteLength(JSON.stringify(after.fields)) > MAX_BYTES) {
        throw new ToolError('too_large')
      }
      if (isSpaceLow()) throw new ToolError('try_later')
      const rev = await written(caller, before, false, also, (changes) =>
        documents.put(instance, after, { rev: revision }, changes),
      )
      if (rev === undefined) {
        // Somebody was faster; it may have been this very call.
        const now = await documents.get(instance, kind, id)
        if (now === undefined) throw new ToolError('conflict')
        return repeated(caller, now, { revision, fields })
      }
      const doc = toWire({ ...after, rev })
      void events.publish(instance, 'UPDATED', { type: kind, id, doc })
      return { revision: rev, isNew: true }
    },

    async remove(caller, { kind, id, revision }, also) {
      const { instance } = caller
      if (events.isServerType(kind)) throw new ToolError('not_found')
      const before = await documents.get(instance, kind, id)
      if (before === undefined) return removed(caller, { kind, id, revision })
      if (!isAllowed(caller, 'DELETE', before)) throw new ToolError('not_found')
      if (before.rev !== revision) throw new ToolError('conflict')
      if (await isShared(instance, kind, id)) throw new ToolError('shared_document')
      if (isSpaceLow()) throw new ToolError('try_later')
      const isDone = await written(caller, before, true, also, (changes) =>
        documents.delete(instance, kind, id, { rev: revision }, changes),
      )
      if (!isDone) {
        if ((await documents.get(instance, kind, id)) !== undefined) throw new ToolError('conflict')
        return removed(caller, { kind, id, revision })
      }
      void events.publish(instance, 'DELETED', { type: kind, id, doc: toWire(before) })
      return { isNew: true }
    },
  }

  /** Does it together with what it takes away, and with its entry. */
  async function written<Result>(
    { instance, access }: ToolCaller,
    before: StoredDocument,
    isDeleted: boolean,
    also: () => Promise<readonly Change[]>,
    write: (changes: readonly Change[]) => Promise<Result>,
  ): Promise<Result> {
    try {
      const kept = await versions.keep(instance, before, {
        title: titleOf(before.fields, before.id),
        client: access.client.id,
        clientName: access.client.metadata.client_name,
        isDeleted,
      })
      return await write([kept, ...(await also())])
    } catch (error) {
      return refuseQuota(error)
    }
  }

  /** A call that is repeated finds what it made. @throws ToolError `conflict`: somebody else changed it */
  async function repeated(
    { instance, access }: ToolCaller,
    now: StoredDocument,
    { revision, fields }: { readonly revision: string; readonly fields: Fields },
  ): Promise<{ readonly revision: string; readonly isNew: false }> {
    const version = await versions.find(instance, now.type, now.id, revision)
    const isOwn = version?.value.client === access.client.id && version.revision === now.rev
    if (!isOwn || version.value.fields === undefined) throw new ToolError('conflict')
    if (!isDeepStrictEqual(merged(version.value.fields, fields), now.fields)) {
      throw new ToolError('conflict')
    }
    return { revision: now.rev, isNew: false }
  }

  /** The same of a document that is gone. @throws ToolError `not_found`: another hand took it away */
  async function removed(
    caller: ToolCaller,
    {
      kind,
      id,
      revision,
    }: { readonly kind: string; readonly id: string; readonly revision: string },
  ): Promise<{ readonly isNew: false }> {
    const { instance, access } = caller
    const version = await versions.find(instance, kind, id, revision)
    const { client, isDeleted, fields } = version?.value ?? {}
    const isOwn = client === access.client.id && isDeleted === true && fields !== undefined
    if (!isOwn || !isAllowed(caller, 'DELETE', { type: kind, id, fields })) {
      throw new ToolError('not_found')
    }
    return { isNew: false }
  }
}

/** One of the verbs that change has to cover the document before and after. */
function isChangeable(
  caller: ToolCaller,
  before: StoredDocument,
  after: Omit<StoredDocument, 'rev'>,
): boolean {
  return (['PUT', 'PATCH'] as const).some(
    (verb) => isAllowed(caller, verb, before) && isAllowed(caller, verb, after),
  )
}

/** The members with others in their place; `null` takes one away. @see docs/decisions/0564 */
function merged(before: Fields, changes: Fields): Fields {
  const members = Object.entries({ ...before, ...changes })
  return Object.fromEntries(members.filter(([name]) => changes[name] !== null))
}
