import type { Instance } from '@svc/platform'
import { indexKey, type Json, recordKey, type Store } from '@svc/store'
import { type DataDocument, type DataPort, ToolError } from '../../src/index.ts'

interface Stored {
  readonly kind: string
  readonly id: string
  readonly title: string
  readonly text: string
}

/** Documents in the store, with the rule that the caller's permissions are asked about each. */
export function storedDocuments(store: Store) {
  const keyOf = (instance: Instance, kind: string, id: string) =>
    recordKey(instance.id, 'test-document', `${kind}/${id}`)

  const changeOf = (instance: Instance, document: Stored) => ({
    op: 'put' as const,
    key: keyOf(instance, document.kind, document.id),
    value: document as unknown as Json,
    indexes: [
      { index: indexKey(instance.id, `test-documents:${document.kind}`), sort: document.id },
    ],
  })

  function toDocument({ value, revision }: { value: Json; revision: string }): DataDocument {
    return { ...(value as unknown as Stored), revision }
  }

  async function list(
    instance: Instance,
    kind: string,
    page: { readonly limit: number; readonly cursor?: string },
  ) {
    const index = indexKey(instance.id, `test-documents:${kind}`)
    const { records, cursor } = await store.list(index, page)
    return { documents: records.map(toDocument), ...(cursor !== undefined && { cursor }) }
  }

  /** What a change begins with. */
  async function current(
    { instance, access }: Parameters<DataPort['list']>[0],
    verb: 'PUT' | 'DELETE',
    {
      kind,
      id,
      revision,
    }: { readonly kind: string; readonly id: string; readonly revision: string },
  ) {
    const record = await store.get(keyOf(instance, kind, id))
    if (record === undefined || !access.allows(verb, kind, { id })) throw new ToolError('not_found')
    if (record.revision !== revision) throw new ToolError('conflict')
    return record
  }

  async function add(
    instance: Instance,
    kind: string,
    id: string,
    title: string,
    text: string,
  ): Promise<void> {
    await store.write([changeOf(instance, { kind, id, title, text })])
  }
  const all = async (instance: Instance, kind: string): Promise<readonly DataDocument[]> =>
    (await list(instance, kind, { limit: 100 })).documents

  const port: DataPort = {
    kinds: ['io.svc.notes', 'io.svc.contacts'],
    wordsOf: (_instance, kind) => ({
      name: kind === 'io.svc.notes' ? 'Notes' : 'Contacts',
      read: 'Read them',
      add: 'Add some',
      change: 'Change them',
      delete: 'Delete them',
    }),
    async list({ instance, access }, kind, page) {
      const found = await list(instance, kind, page)
      const documents = found.documents.filter(({ id }) => access.allows('GET', kind, { id }))
      return { ...found, documents }
    },
    async get({ instance, access }, kind, id, verb) {
      const record = access.allows(verb, kind, { id })
        ? await store.get(keyOf(instance, kind, id))
        : undefined
      return record && toDocument(record)
    },
    async create({ instance, access }, { kind, id, fields }, also) {
      if (!access.allows('POST', kind, { ...fields, id })) throw new ToolError('not_found')
      const known = await store.get(keyOf(instance, kind, id))
      const { title = '', text = '' } = fields as { title?: string; text?: string }
      const document = { kind, id, title, text }
      if (known !== undefined) {
        if (JSON.stringify(known.value) !== JSON.stringify(document)) {
          throw new ToolError('conflict')
        }
        return { revision: known.revision, isNew: false }
      }
      const change = { ...changeOf(instance, document), ifAbsent: true as const }
      const result = await store.write([change, ...(await also())])
      if (!result.written) {
        // The same call came twice at once.
        const other = await store.get(keyOf(instance, kind, id))
        if (other === undefined || JSON.stringify(other.value) !== JSON.stringify(document)) {
          throw new ToolError('conflict')
        }
        return { revision: other.revision, isNew: false }
      }
      return { revision: result.revision, isNew: true }
    },
    async update(caller, change, also) {
      const { kind, id, fields } = change
      const record = await current(caller, 'PUT', change)
      const known = record.value as unknown as Stored
      const { title = known.title, text = known.text } = fields as Partial<Stored>
      const put = changeOf(caller.instance, { kind, id, title, text })
      const result = await store.write([{ ...put, ifRevision: record.revision }, ...(await also())])
      if (!result.written) throw new ToolError('conflict')
      return { revision: result.revision, isNew: true }
    },
    async remove(caller, change, also) {
      const record = await current(caller, 'DELETE', change)
      const result = await store.write([
        { op: 'delete', key: record.key, ifRevision: record.revision },
        ...(await also()),
      ])
      if (!result.written) throw new ToolError('conflict')
      return { isNew: true }
    },
  }
  return { add, all, port }
}
