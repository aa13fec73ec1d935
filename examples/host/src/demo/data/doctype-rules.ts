import type { AccessContext } from '@svc/oauth-core'
import type { Instance, RouteContext } from '@svc/platform'
import type { DocumentStore, Fields, StoredDocument } from '../../documents/document-store.ts'

/** What a doctype is beyond fields that callers keep. */
export interface DoctypeRules {
  readonly type: string
  /** What the caller may read of a document. */
  show(ctx: RouteContext, access: AccessContext, document: StoredDocument): Promise<Fields>
  /** What anybody who hears or gets a document may know of it: subscribers, those whom it is shared with. */
  showAll(instance: Instance, document: StoredDocument): Promise<Fields>
  /**
   * What is stored of what a caller sent.
   * @param before - the document that is replaced
   * @throws OAuthError `invalid_request`
   */
  admit(
    instance: Instance,
    sent: Omit<StoredDocument, 'rev'>,
    before: StoredDocument | undefined,
  ): Fields
  /** Lets one more document be made. @throws OAuthError `quota_exceeded` */
  requireRoom(instance: Instance, document: Omit<StoredDocument, 'rev'>): Promise<void>
  /** What follows when a caller deleted a document. */
  deleted(instance: Instance, document: StoredDocument, access: AccessContext): Promise<void>
}

/** The same documents, as those may read them who were not asked for what they may. */
export function publicDocuments(
  documents: DocumentStore,
  rules: readonly DoctypeRules[],
): DocumentStore {
  const byType = new Map(rules.map((rule) => [rule.type, rule]))

  async function shown(instance: Instance, document: StoredDocument): Promise<StoredDocument> {
    const fields = await byType.get(document.type)?.showAll(instance, document)
    return fields === undefined ? document : { ...document, fields }
  }

  return {
    ...documents,
    async get(instance, type, id) {
      const document = await documents.get(instance, type, id)
      return document && shown(instance, document)
    },
    async list(instance, type, request) {
      const page = await documents.list(instance, type, request)
      const all = page.documents.map((document) => shown(instance, document))
      return { ...page, documents: await Promise.all(all) }
    },
  }
}
