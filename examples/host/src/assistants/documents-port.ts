import { isDeepStrictEqual } from 'node:util'
import type { PermissionTexts } from '@svc/auth-ui'
import { type DataDocument, type DataPort, ToolError } from '@svc/mcp'
import type { DocumentStore, StoredDocument } from '../documents/document-store.ts'
import { createDocumentChanges, type DocumentChangesOptions } from './document-changes.ts'
import { isAllowed, refuseQuota, toWire } from './document-rules.ts'
import { changedAtOf, textOf, titleOf } from './document-text.ts'
import { listNamed, namedIds } from './named-documents.ts'

export interface DocumentsPortOptions extends DocumentChangesOptions {
  readonly documents: DocumentChangesOptions['documents'] & Pick<DocumentStore, 'list'>
  readonly kinds: readonly string[]
  /** What the kinds are called. */
  readonly texts: PermissionTexts
}

/** The documents of this host for assistants: permissions are asked about each, before and after a change. */
export function createDocumentsPort(options: DocumentsPortOptions): DataPort {
  const { documents, events, isShared, kinds, texts, isSpaceLow } = options

  return {
    ...createDocumentChanges(options),
    kinds,
    wordsOf({ locale }, kind) {
      const [language = ''] = locale.split(/[-_]/u, 1)
      const words = texts[kind]?.[language] ?? texts[kind]?.['en']
      return { ...PLAIN, name: kind, ...(typeof words === 'object' && words) }
    },
    async list(caller, kind, page) {
      const ids = namedIds(caller, kind)
      const found =
        ids === undefined
          ? await documents.list(caller.instance, kind, page).catch(refuseCursor)
          : await listNamed(caller, kind, ids, { documents, page })
      return {
        documents: found.documents
          .filter((document) => isAllowed(caller, 'GET', document))
          .map(toData),
        ...(found.cursor !== undefined && { cursor: found.cursor }),
      }
    },
    async get(caller, kind, id, verb) {
      const document = await documents.get(caller.instance, kind, id)
      return document !== undefined && isAllowed(caller, verb, document)
        ? toData(document)
        : undefined
    },
    async create(caller, { kind, id, fields }, also) {
      const { instance } = caller
      const made = { type: kind, id, fields }
      if (events.isServerType(kind) || !isAllowed(caller, 'POST', made)) {
        throw new ToolError('not_found')
      }
      const known = await documents.get(instance, kind, id)
      if (known !== undefined) return sameAs(known, made)
      // A link of before would show what is put in the place of a document that is gone.
      if (await isShared(instance, kind, id)) throw new ToolError('shared_document')
      if (isSpaceLow()) throw new ToolError('try_later')
      const revision = await documents
        .put(instance, made, 'absent', await also())
        .catch(refuseQuota)
      if (revision === undefined) {
        // The same call came twice at once.
        const other = await documents.get(instance, kind, id)
        if (other === undefined) throw new ToolError('try_later')
        return sameAs(other, made)
      }
      const doc = toWire({ ...made, rev: revision })
      void events.publish(instance, 'CREATED', { type: kind, id, doc })
      return { revision, isNew: true }
    },
  }
}

/** Of kinds that nobody has words for. */
const PLAIN = { read: 'GET', add: 'POST', change: 'PUT', delete: 'DELETE' } as const

function toData({ type, id, rev, fields }: StoredDocument): DataDocument {
  const changedAt = changedAtOf(fields)
  return {
    kind: type,
    id,
    revision: rev,
    title: titleOf(fields, id),
    text: textOf(fields),
    ...(changedAt !== undefined && { changedAt }),
  }
}

/** A call that is repeated finds what it made; another document is another one. */
function sameAs(
  { rev, fields }: StoredDocument,
  made: Pick<StoredDocument, 'fields'>,
): { readonly revision: string; readonly isNew: boolean } {
  if (!isDeepStrictEqual(fields, made.fields)) throw new ToolError('conflict')
  return { revision: rev, isNew: false }
}

function refuseCursor(error: unknown): never {
  throw error instanceof TypeError ? new ToolError('not_found') : error
}
