import type { AccountDocument, AccountStore } from '@svc/connectors'
import type { OAuth, Verb } from '@svc/oauth-core'
import { type Instance, valueSchemas } from '@svc/platform'
import type { Realtime } from '@svc/realtime'
import { type Change, indexKey, type Json, recordKey, type Store } from '@svc/store'
import type { Context, Middleware } from 'koa'

export interface Document {
  readonly id: string
  /** Changes with every write. */
  readonly rev: string
  readonly fields: Fields
}
type Fields = { readonly [name: string]: Json | undefined }

const KIND = 'shop-document'
const INDEX = 'shop-documents'
const ACCOUNTS = 'io.svc.accounts'
const { members, text } = valueSchemas

/** Declared, so that an instance that is removed or carried away has them with it. */
export const DOCUMENT_RECORD = {
  kind: KIND,
  version: 1,
  schema: members({ id: text, fields: { type: 'object' } }),
  tags: 'instance',
  places: { by: 'index', index: INDEX },
  life: 'until it is deleted',
  export: 'yes',
  content: 'a document of the owner',
} as const

/** Documents by type and id, in the store that everything else is in. */
export class Documents {
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  async get(instance: Instance, type: string, id: string): Promise<Document | undefined> {
    const record = await this.#store.get<{ id: string; fields: Fields }>(keyOf(instance, type, id))
    return record && { id, rev: record.revision, fields: record.value.fields }
  }

  async list(instance: Instance, type: string, page: { limit?: number; cursor?: string }) {
    const index = indexKey(instance.id, `${INDEX}:${type}`)
    const found = await this.#store.list<{ id: string; fields: Fields }>(index, page)
    const documents = found.records.map(({ value, revision }) => ({ ...value, rev: revision }))
    return { documents, ...(found.cursor !== undefined && { cursor: found.cursor }) }
  }

  /** Undefined: the document is not at that revision; without one: there is such a document. */
  async put(
    instance: Instance,
    type: string,
    { id, rev, fields }: Omit<Document, 'rev'> & { readonly rev?: string },
    also: readonly Change[] = [],
  ): Promise<Document | undefined> {
    const key = keyOf(instance, type, id)
    const before = rev === undefined ? undefined : await this.#store.get(key)
    if (before?.revision !== rev) return undefined
    const change: Change = {
      op: 'put',
      key,
      value: { id, fields },
      indexes: [
        { index: indexKey(instance.id, `${INDEX}:${type}`), sort: id },
        { index: indexKey(instance.id, INDEX), sort: `${type}/${id}` },
      ],
      // What is written between the look and this loses nothing: then nothing is written.
      ...(before === undefined ? { ifAbsent: true } : { ifRevision: before.revision }),
    }
    const result = await this.#store.write([change, ...also])
    return result.written ? { id, rev: result.revision, fields } : undefined
  }

  async delete(
    instance: Instance,
    type: string,
    { id, rev }: Pick<Document, 'id' | 'rev'>,
    also: readonly Change[] = [],
  ): Promise<boolean> {
    const key = keyOf(instance, type, id)
    const before = await this.#store.get(key)
    if (before === undefined || before.revision !== rev) return false
    const change: Change = { op: 'delete', key, ifRevision: before.revision }
    return (await this.#store.write([change, ...also])).written
  }
}

function keyOf({ id: tag }: Instance, type: string, id: string) {
  return recordKey(tag, KIND, `${type}/${id}`)
}

/** `GET`, `PUT` and `DELETE` of `/documents/:type/:id`: the guard, a revision, and the event. */
export function documentRoutes(
  documents: Documents,
  { oauth, realtime }: { readonly oauth: OAuth; readonly realtime: Realtime },
): Middleware {
  return async (ctx, next) => {
    const [, type = '', id = ''] =
      /^\/documents\/([\w.-]{1,100})\/([\w-]{1,100})$/.exec(ctx.path) ?? []
    // Accounts hold what connectors sealed: they are answered through `connectors.view` alone.
    if (id === '' || type === ACCOUNTS || !isVerb(ctx.method)) return next()
    await oauth.guard({ verb: ctx.method, type })(ctx, async () => {
      const instance: Instance = ctx['state'].instance
      const before = await documents.get(instance, type, id)
      if (ctx.method === 'GET') return answer(ctx, before === undefined ? 404 : 200, before)
      const rev = /^"([^"]+)"$/.exec(ctx.get('If-Match'))?.[1]
      // Who overwrites says what: a change that somebody else made meanwhile is not lost.
      if (before !== undefined && rev === undefined) return answer(ctx, 428)
      if (ctx.method === 'DELETE') {
        const isGone = await documents.delete(instance, type, { id, rev: rev ?? '' })
        if (isGone) await realtime.publish(instance, 'DELETED', { type, id })
        return answer(ctx, isGone ? 204 : 412)
      }
      const fields = await readJson(ctx)
      if (fields === undefined) return answer(ctx, 400)
      const given = rev === undefined ? { id, fields } : { id, fields, rev }
      const written = await documents.put(instance, type, given)
      if (written === undefined) return answer(ctx, 412)
      const verb = before === undefined ? 'CREATED' : 'UPDATED'
      await realtime.publish(instance, verb, { type, id, doc: { ...fields, _rev: written.rev } })
      answer(ctx, before === undefined ? 201 : 200, written)
    })
  }
}

/** The accounts of `@svc/connectors` among them, so that apps find them where every document is. */
export function accountStore(documents: Documents): AccountStore {
  const toAccount = ({ id, rev, fields }: Document): AccountDocument => ({
    account_type: '',
    name: '',
    ...fields,
    _id: id,
    _rev: rev,
  })
  const toFields = (account: object): Fields =>
    Object.fromEntries(Object.entries(account).filter(([name]) => !name.startsWith('_')))
  return {
    async get(instance, id) {
      const found = await documents.get(instance, ACCOUNTS, id)
      return found && toAccount(found)
    },
    async create(instance, account, also) {
      const document = { id: String(account['_id']), fields: toFields(account) }
      const written = await documents.put(instance, ACCOUNTS, document, also)
      if (written === undefined) throw new Error('an account of this id exists')
      return toAccount(written)
    },
    async update(instance, account, also) {
      const document = { id: account._id, rev: account._rev, fields: toFields(account) }
      const written = await documents.put(instance, ACCOUNTS, document, also)
      return written && toAccount(written)
    },
    delete: (instance, id, rev, also) => documents.delete(instance, ACCOUNTS, { id, rev }, also),
    async list(instance, page) {
      const { documents: found, ...more } = await documents.list(instance, ACCOUNTS, page)
      return { accounts: found.map(toAccount), ...more }
    },
  }
}

function answer(ctx: Context, status: number, document?: Document): void {
  ctx.status = status
  ctx.set('Cache-Control', 'no-store')
  if (document === undefined) return
  ctx.set('ETag', `"${document.rev}"`)
  ctx.body = { ...document.fields, _id: document.id, _rev: document.rev }
}

async function readJson(ctx: Context): Promise<Fields | undefined> {
  let body = ''
  for await (const chunk of ctx.req) {
    body += String(chunk)
    if (body.length > 100_000) return undefined
  }
  try {
    const value: unknown = JSON.parse(body)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Fields) // JSON has no other objects.
      : undefined
  } catch {
    return undefined
  }
}

function isVerb(method: string): method is Extract<Verb, 'DELETE' | 'GET' | 'PUT'> {
  return ['GET', 'PUT', 'DELETE'].includes(method)
}
