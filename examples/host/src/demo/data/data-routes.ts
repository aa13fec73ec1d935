import { randomBytes } from 'node:crypto'
import type { IsConfirmed } from '@svc/auth-ui'
import {
  type AccessContext,
  insufficientScope,
  type OAuth,
  OAuthError,
  type ScopedDocument,
  type Verb,
} from '@svc/oauth-core'
import type { RouteContext, RouteRow } from '@svc/platform'
import type { Realtime } from '@svc/realtime'
import type { Middleware } from 'koa'
import { BoundedMap } from '../../http/bounded-map.ts'
import { requireConfirmation } from './confirmed-types.ts'
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
import { admit, notifySubscribers, type RuledServices, ruleOf, show } from './ruled-documents.ts'

const TYPE = /^[a-z0-9_]{1,60}(?:\.[a-z0-9_]{1,60}){1,7}$/
const AUTH = ['access token', 'app token'] as const
const SOURCE = 'architecture.md 5'

const COUNTED = { none: 'What clients change is counted by day and kind.' } as const

/** One request that the guard let pass for its type. */
interface DataRequest {
  readonly ctx: RouteContext
  readonly access: AccessContext
  readonly type: string
}

/** What documents at `/data/` stand on. */
export interface DataServices extends RuledServices {
  readonly oauth: Pick<OAuth, 'guard'>
  readonly isConfirmed: IsConfirmed
  readonly documents: DocumentStore
  /** Tells subscribers what changed, and knows of which types callers may not have them told anything. */
  readonly events: Pick<Realtime, 'isServerType' | 'publish'>
}

type Handler = (request: DataRequest, services: DataServices) => Promise<void>

/**
 * The example host's own resource: small JSON documents behind the guard, so that scopes can be seen at work.
 * A document reads `{ "_id", "_type", "_rev", …fields }`. The guard answers refusals by itself, as in any Koa server:
 * so it stands in front of the handlers as middleware.
 */
export function dataRoutes(services: DataServices): readonly RouteRow[] {
  const guardOf = rememberGuards(services)
  const behindGuard = (verb: Verb, handle: Handler): Pick<RouteRow, 'handler' | 'use'> => ({
    use: [(ctx, next) => requireTypePermission(ctx, next, verb, services, guardOf)],
    handler: (ctx) =>
      handle({ ctx, access: accessOf(ctx), type: String(ctx.params['doctype']) }, services),
  })
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
  const body = { types: ['json'], keepsDigits: true, schema } as const
  return [
    {
      ...shared,
      method: 'GET',
      path: '/data/:doctype',
      ...behindGuard('GET', listDocuments),
      statuses: [200, 400, 401, 403],
      summary: 'Lists documents of a type that the caller may read, in pages.',
    },
    {
      ...shared,
      method: 'POST',
      path: '/data/:doctype',
      ...behindGuard('POST', createDocument),
      activity: COUNTED,
      body,
      grows: true,
      statuses: [201, 400, 401, 403, 413, 415],
      summary: 'Creates a document under a new id.',
    },
    {
      ...shared,
      method: 'GET',
      path: '/data/:doctype/:id',
      ...behindGuard('GET', readDocument),
      statuses: [200, 400, 401, 403, 404],
      summary: 'Answers a document.',
    },
    {
      ...shared,
      method: 'PUT',
      path: '/data/:doctype/:id',
      ...behindGuard('PUT', replaceDocument),
      activity: COUNTED,
      body,
      grows: true,
      statuses: [200, 201, 400, 401, 403, 409, 413, 415],
      summary:
        'Creates a document under this id, or replaces the revision that `_rev` or `If-Match` names.',
    },
    {
      ...shared,
      method: 'DELETE',
      path: '/data/:doctype/:id',
      ...behindGuard('DELETE', deleteDocument),
      // Of accounts; other documents are counted.
      activity: 'account.removed',
      statuses: [204, 400, 401, 403, 404, 409],
      summary: 'Deletes a document, only the revision of `If-Match` when given.',
    },
  ]
}

type GuardOf = (verb: Verb, type: string) => Middleware

/** Guards that are kept: one of a rule does for all requests. */
const MAX_GUARDS = 1000

function rememberGuards({ oauth }: Pick<DataServices, 'oauth'>): GuardOf {
  const guards = new BoundedMap<string, Middleware>(MAX_GUARDS)
  return (verb, type) => {
    const name = `${verb} ${type}`
    let known = guards.get(name)
    if (known === undefined) {
      known = oauth.guard({ verb, type })
      guards.set(name, known)
    }
    return known
  }
}

/** The guard for the verb and the type of the path; before the body is read. */
async function requireTypePermission(
  ctx: RouteContext,
  next: () => Promise<void>,
  verb: Verb,
  { confirmedTypes, events, isConfirmed }: DataServices,
  guardOf: GuardOf,
): Promise<void> {
  const type = String(ctx.params['doctype'])
  if (!TYPE.test(type)) throw malformed('the doctype is malformed')
  await guardOf(verb, type)(ctx, async () => {
    // Its events would look like those of the server.
    if (verb !== 'GET' && events.isServerType(type)) throw unwritable(type)
    if (confirmedTypes.has(type)) {
      await requireConfirmation(isConfirmed, ctx, accessOf(ctx), verb)
    }
    await next()
  })
}

async function listDocuments(
  { ctx, access, type }: DataRequest,
  services: DataServices,
): Promise<void> {
  const { instance } = ctx.state
  const page = await services.documents.list(instance, type, pageOf(ctx)).catch(refuseCursor)
  const allowed = page.documents.filter((document) =>
    access.allows('GET', type, toScoped(document)),
  )
  answer(ctx, 200, {
    documents: await Promise.all(
      allowed.map(async (document) => toWire(await show(services, ctx, access, document))),
    ),
    ...(page.cursor !== undefined && { cursor: page.cursor }),
  })
}

async function createDocument(
  { ctx, access, type }: DataRequest,
  services: DataServices,
): Promise<void> {
  const { instance } = ctx.state
  const sent = { type, id: randomBytes(16).toString('hex'), fields: fieldsOf(ctx) }
  requireAllowed(access, 'POST', sent)
  const document = { ...sent, fields: admit(services, instance, sent) }
  await ruleOf(services, type)?.requireRoom(instance, document)
  const rev = await services.documents.put(instance, document, 'absent')
  if (rev === undefined) throw new Error('a random id was taken')
  notifySubscribers(services, instance, 'CREATED', { ...document, rev })
  ctx.set('Location', `/data/${type}/${document.id}`)
  answerDocument(ctx, 201, await show(services, ctx, access, { ...document, rev }))
}

async function readDocument(
  { ctx, access, type }: DataRequest,
  services: DataServices,
): Promise<void> {
  const document = await find(ctx, access, 'GET', type, services)
  answerDocument(ctx, 200, await show(services, ctx, access, document))
}

async function replaceDocument(
  { ctx, access, type }: DataRequest,
  services: DataServices,
): Promise<void> {
  const { documents } = services
  const { instance } = ctx.state
  const sent = { type, id: idOf(ctx), fields: fieldsOf(ctx) }
  requireAllowed(access, 'PUT', sent)
  const before = await documents.get(instance, type, sent.id)
  // A rule on a field must not let a document be taken over that does not match it yet.
  if (before !== undefined) requireAllowed(access, 'PUT', before)
  const expected = expectationOf(ctx)
  // What is kept of the document before is kept of no other revision.
  if (before !== undefined && typeof expected === 'object' && expected.rev !== before.rev) {
    throw conflict()
  }
  const document = { ...sent, fields: admit(services, instance, sent, before) }
  if (before === undefined) await ruleOf(services, type)?.requireRoom(instance, document)
  const rev = await documents.put(instance, document, expected === 'any' ? 'absent' : expected)
  if (rev === undefined) throw conflict()
  const verb = before === undefined ? 'CREATED' : 'UPDATED'
  notifySubscribers(services, instance, verb, { ...document, rev })
  const status = before === undefined ? 201 : 200
  answerDocument(ctx, status, await show(services, ctx, access, { ...document, rev }))
}

async function deleteDocument(
  { ctx, access, type }: DataRequest,
  services: DataServices,
): Promise<void> {
  const { instance } = ctx.state
  const document = await find(ctx, access, 'DELETE', type, services)
  const { id } = document
  if (!(await services.documents.delete(instance, type, id, expectationOf(ctx)))) throw conflict()
  await ruleOf(services, type)?.deleted(instance, document, access)
  notifySubscribers(services, instance, 'DELETED', document)
  ctx.status = 204
}

/** The document of the path; one that the caller may not know of is forbidden whether it exists or not. */
async function find(
  ctx: RouteContext,
  access: AccessContext,
  verb: Verb,
  type: string,
  { documents }: DataServices,
): Promise<StoredDocument> {
  const id = idOf(ctx)
  const document = await documents.get(ctx.state.instance, type, id)
  requireAllowed(access, verb, document ?? { type, id, fields: {} })
  if (document === undefined) throw new OAuthError('not_found')
  return document
}

function accessOf({ state: { access } }: RouteContext): AccessContext {
  if (access === undefined) throw new Error('the guard let a request pass without access')
  return access
}

function requireAllowed(
  access: AccessContext,
  verb: Verb,
  document: Omit<StoredDocument, 'rev'>,
): void {
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
