import type { AssistantChange, AssistantChanges } from '@svc/auth-ui'
import type { Instance } from '@svc/platform'
import type { Realtime } from '@svc/realtime'
import type { Store } from '@svc/store'
import {
  type DocumentStore,
  documentChange,
  type StoredDocument,
} from '../documents/document-store.ts'
import { type DocumentVersions, type KeptVersion, nameOf } from '../documents/document-versions.ts'
import { toWire } from './document-rules.ts'

export interface PutBackOptions {
  readonly store: Pick<Store, 'write'>
  readonly documents: Pick<DocumentStore, 'get'>
  readonly versions: DocumentVersions
  readonly events: Pick<Realtime, 'publish'>
}

/** How often somebody else may be faster. */
const MAX_TRIES = 20
/** Changes of one document, one after the other, that are followed. */
const MAX_FOLLOWED = 1000

/**
 * What assistants changed, for the owner who wants it as it was.
 * @see assistants.md 6.6; docs/decisions/0566
 */
export function createAssistantChanges(options: PutBackOptions): AssistantChanges {
  const { store, documents, events, versions } = options

  return {
    async find(instance, clientId, writes) {
      const names = writes.map(({ id, before = '' }) => nameOf(...placeOf(id), before))
      const found = await versions.named(instance, names)
      return found.map((version) =>
        version?.value.client === clientId ? toChange(version) : undefined,
      )
    },

    async list(instance, page) {
      const { records, cursor } = await versions.list(instance, page)
      return { changes: records.map(toChange), ...(cursor !== undefined && { cursor }) }
    },

    async putBack(instance, { clientId, id, overwrites }, also) {
      for (let tries = 0; tries < MAX_TRIES; tries += 1) {
        const [version] = await versions.named(instance, [id])
        if (version?.value.client !== clientId || version.value.fields === undefined) return 'gone'
        const { type, id: documentId, fields } = version.value
        const now = await documents.get(instance, type, documentId)
        if (!overwrites && !(await isOfAssistants(instance, version, now))) return 'changed_since'
        const result = await store.write([
          {
            ...documentChange(instance, { type, id: documentId, fields }),
            // As the store gave it.
            ...(now === undefined
              ? { ifAbsent: true as const }
              : { ifRevision: now.rev as KeptVersion['revision'] }),
          },
          versions.empty(instance, version),
          ...also(toChange(version)),
        ])
        // Else somebody was faster: with this version, or with the document.
        if (!result.written) continue
        const doc = toWire({ type, id: documentId, fields, rev: result.revision })
        const verb = now === undefined ? 'CREATED' : 'UPDATED'
        void events.publish(instance, verb, { type, id: documentId, doc })
        return 'put_back'
      }
      return 'changed_since'
    },
  }

  /** Whether all that happened to the document since is what assistants did, or what the owner put back. */
  async function isOfAssistants(
    instance: Instance,
    version: KeptVersion,
    now: StoredDocument | undefined,
  ): Promise<boolean> {
    const { type, id } = version.value
    let last = version
    for (let followed = 0; followed < MAX_FOLLOWED; followed += 1) {
      if (now?.rev === last.revision) return true
      const next = await versions.find(instance, type, id, last.revision)
      if (next === undefined) break
      last = next
    }
    // What is gone is gone by its hand, unless it was put back since.
    return now === undefined && last.value.isDeleted && last.value.fields !== undefined
  }
}

/** An entry names a document with its type. */
function placeOf(name: string): [type: string, id: string] {
  const at = name.indexOf('/')
  return [name.slice(0, at), name.slice(at + 1)]
}

function toChange({ value }: KeptVersion): AssistantChange {
  const { type, id, rev, title, client, clientName, isDeleted, at, fields } = value
  return {
    id: nameOf(type, id, rev),
    clientId: client,
    clientName,
    time: at,
    type,
    title,
    isDeleted,
    isBack: fields === undefined,
  }
}
