import { randomBytes } from 'node:crypto'
import {
  type AccessContext,
  insufficientScope,
  type OAuth,
  OAuthError,
  type ScopedDocument,
  type Verb,
} from '@svc/oauth-core'
import { type RouteContext, type RouteMiddleware, type RouteRow } from '@svc/platform'
import type { Realtime } from '@svc/realtime'
import { type ConfirmedTypes, NO_CONFIRMED_TYPES } from './confirmed-types.ts'
import type { DoctypeRules } from './doctype-rules.ts'
import {
  answer,
  answerDocument,
  conflict,
  expectationOf,
  fieldsOf,
  idOf,
  malformed,
  pageOf,
  refuseCursor,
  toWire,
} from './data-wire.ts'
import type { DocumentStore, StoredDocument } from '../../documents/document-store.ts'
import { createRuledDocuments } from './ruled-documents.ts'

const TYPE = /^[a-z0-9_]{1,60}(?:\.[a-z0-9_]{1,60}){1,7}$/
const AUTH = ['access token', 'app token'] as const
const SOURCE = 'architecture.md 5'

/** One request that the guard let pass for its type. */
interface DataRequest {
  readonly ctx: RouteContext
  readonly access: AccessContext
  readonly type: string
}

/** What {@link dataRoutes} can do beside keeping documents. */
export interface DataRouteOptions {
  /**
   * Tells subscribers what changed, and knows of which types callers may not have them told anything.
   * @defaultValue nobody is told
   */
  readonly events?: Pick<Realtime, 'isServerType' | 'publish'>
  /** @defaultValue none */
  readonly confirmedTypes?: ConfirmedTypes
  /** Of doctypes whose documents are not their callers' alone. @defaultValue none */
  readonly rules?: readonly DoctypeRules[]
}

/**
 * The example host's own resource: small JSON documents behind the guard, so that scopes can be seen at work.
 * A document reads `{ "_id", "_type", "_rev", …fields }`.
 */
export function dataRoutes(
  oauth: Pick<OAuth, 'guard'>,
  documents: DocumentStore,
  { events, confirmedTypes = NO_CONFIRMED_TYPES, rules = [] }: DataRouteOptions = {},
): readonly RouteRow[] {
  const { admitted, deleted, shown, tell } = createRuledDocuments({ events, confirmedTypes, rules })

  /** The guard for the verb and the type of the path; before the body is read. */
  function requirePermission(verb: Verb): RouteMiddleware {
    return async function requireTypePermission(ctx, next) {
      const type = String(ctx.params['doctype'])
      if (!TYPE.test(type)) throw malformed('the doctype is malformed')
      await oauth.guard({ verb, type })(ctx, async () => {
        // Its events would look like those of the server.
        if (verb !== 'GET' && events?.isServerType(type) === true) throw unwritable(type)
        if (confirmedTypes.has(type)) await confirmedTypes.demand(ctx, accessOf(ctx), verb)
        await next()
      })
    }
  }

  /** A handler behind the guard. */
  function guarded(verb: Verb, handle: (request: DataRequest) => Promise<void>) {
    return {
      use: [requirePermission(verb)],
      handler: (ctx: RouteContext) =>
        handle({ ctx, access: accessOf(ctx), type: String(ctx.params['doctype']) }),
    }
  }

  const shared = {
    auth: AUTH,
    cors: 'app-origins-or-any',
    family: 'json',
    source: SOURCE,
  } as const
  const schema = {
    type: 'object',
    description: "the document; members that begin with `_` are the server's",
  }
  const body = { types: ['json'], schema } as const
  return [
    {
      ...shared,
      method: 'GET',
      path: '/data/:doctype',
      ...guarded('GET', list),
      statuses: [200, 400, 401, 403],
      summary: 'Lists documents of a type that the caller may read, in pages.',
    },
    {
      ...shared,
      method: 'POST',
      path: '/data/:doctype',
      ...guarded('POST', create),
      body,
      statuses: [201, 400, 401, 403, 413, 415],
      summary: 'Creates a document under a new id.',
    },
    {
      ...shared,
      method: 'GET',
      path: '/data/:doctype/:id',
      ...guarded('GET', read),
      statuses: [200, 400, 401, 403, 404],
      summary: 'Answers a document.',
    },
    {
      ...shared,
      method: 'PUT',
      path: '/data/:doctype/:id',
      ...guarded('PUT', replace),
      body,
      statuses: [200, 201, 400, 401, 403, 409, 413, 415],
      summary:
        'Creates a document under this id, or replaces the revision that `_rev` or `If-Match` names.',
    },
    {
      ...shared,
      method: 'DELETE',
      path: '/data/:doctype/:id',
      ...guarded('DELETE', remove),
      statuses: [204, 400, 401, 403, 404, 409],
      summary: 'Deletes a document, only the revision of `If-Match` when given.',
    },
  ]

  async function list({ ctx, access, type }: DataRequest): Promise<void> {
    const page = await documents.list(ctx.state.instance, type, pageOf(ctx)).catch(refuseCursor)
    const allowed = page.documents.filter((document) =>
      access.allows('GET', type, toScoped(document)),
    )
    answer(ctx, 200, {
      documents: await Promise.all(
        allowed.map(async (document) => toWire(await shown(ctx, access, document))),
      ),
      ...(page.cursor !== undefined && { cursor: page.cursor }),
    })
  }

  async function create({ ctx, access, type }: DataRequest): Promise<void> {
    const sent = { type, id: randomBytes(16).toString('hex'), fields: fieldsOf(ctx) }
    demand(access, 'POST', sent)
    const document = { ...sent, fields: admitted(ctx, sent) }
    const rev = await documents.put(ctx.state.instance, document, 'absent')
    if (rev === undefined) throw new Error('a random id was taken')
    tell(ctx.state.instance, 'CREATED', { ...document, rev })
    ctx.set('Location', `/data/${type}/${document.id}`)
    answerDocument(ctx, 201, await shown(ctx, access, { ...document, rev }))
  }

  async function read({ ctx, access, type }: DataRequest): Promise<void> {
    const document = await find(ctx, access, 'GET', type)
    answerDocument(ctx, 200, await shown(ctx, access, document))
  }

  async function replace({ ctx, access, type }: DataRequest): Promise<void> {
    const { instance } = ctx.state
    const sent = { type, id: idOf(ctx), fields: fieldsOf(ctx) }
    demand(access, 'PUT', sent)
    const before = await documents.get(instance, type, sent.id)
    // A rule on a field must not let a document be taken over that does not match it yet.
    if (before !== undefined) demand(access, 'PUT', before)
    const expected = expectationOf(ctx)
    // What is kept of the document before is kept of no other revision.
    if (before !== undefined && typeof expected === 'object' && expected.rev !== before.rev) {
      throw conflict()
    }
    const document = { ...sent, fields: admitted(ctx, sent, before) }
    const rev = await documents.put(instance, document, expected === 'any' ? 'absent' : expected)
    if (rev === undefined) throw conflict()
    tell(ctx.state.instance, before === undefined ? 'CREATED' : 'UPDATED', { ...document, rev })
    const status = before === undefined ? 201 : 200
    answerDocument(ctx, status, await shown(ctx, access, { ...document, rev }))
  }

  async function remove({ ctx, access, type }: DataRequest): Promise<void> {
    const document = await find(ctx, access, 'DELETE', type)
    const { id } = document
    if (!(await documents.delete(ctx.state.instance, type, id, expectationOf(ctx))))
      throw conflict()
    await deleted(ctx.state.instance, document)
    tell(ctx.state.instance, 'DELETED', document)
    ctx.status = 204
  }

  /** The document of the path; one that the caller may not know of is forbidden whether it exists or not. */
  async function find(
    ctx: RouteContext,
    access: AccessContext,
    verb: Verb,
    type: string,
  ): Promise<StoredDocument> {
    const id = idOf(ctx)
    const document = await documents.get(ctx.state.instance, type, id)
    demand(access, verb, document ?? { type, id, fields: {} })
    if (document === undefined) throw new OAuthError('not_found')
    return document
  }
}

function accessOf({ state: { access } }: RouteContext): AccessContext {
  if (access === undefined) throw new Error('the guard let a request pass without access')
  return access
}

function demand(access: AccessContext, verb: Verb, document: Omit<StoredDocument, 'rev'>): void {
  if (access.allows(verb, document.type, toScoped(document))) return
  throw insufficientScope()
}

/** @see docs/decisions/0214-events-of-the-server-alone.md */
function unwritable(type: string): OAuthError {
  return new OAuthError('forbidden', { description: `reserved doctype ${type} unwritable` })
}

function toScoped({ id, fields }: Omit<StoredDocument, 'rev'>): ScopedDocument {
  return { ...fields, id }
}
