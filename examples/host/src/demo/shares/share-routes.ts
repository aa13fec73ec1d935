import type { AuthUi } from '@svc/auth-ui'
import { type AccessContext, insufficientScope, type OAuth, OAuthError } from '@svc/oauth-core'
import {
  type ActivityActor,
  anybody,
  defineRoute,
  requirement,
  type Route,
  type RouteAuth,
  type RouteContext,
} from '@svc/platform'
import type { Change } from '@svc/store'
import type { DocumentStore } from '../../documents/document-store.ts'
import { type ShareBody, shareSchema } from './share.schema.ts'
import type { Share, ShareStore } from './share-store.ts'

/** What the links of the demo stand on. */
export interface ShareServices {
  readonly oauth: Pick<OAuth, 'activity' | 'authenticate' | 'clientAddress'>
  readonly ui: Pick<AuthUi, 'hashSharePassword' | 'hasShareCookie'>
  readonly shares: ShareStore
  /** As those may read them who were not asked for what they may. */
  readonly shown: DocumentStore
  /** Whether a link may show documents of a type. */
  readonly isShareable: (type: string) => boolean
}

const PERM_ID = /^[A-Za-z0-9_-]{1,128}$/
const MAX_PASSWORD_BYTES = 1024

/** Tokens of clients and apps. */
export const requireBearer: RouteAuth<{ readonly oauth: Pick<OAuth, 'authenticate'> }> =
  requirement(['access token', 'app token'], async function requireBearer(ctx, { oauth }) {
    await oauth.authenticate(ctx)
  })

const shared = {
  auth: requireBearer,
  cors: 'app-origins-or-any',
  family: 'json',
  source: 'decision D30',
} as const

/**
 * The demo's links: a caller shares documents that it may read itself, and an app and its linked clients take back
 * what the other shared (decision D30). The password is asked at `/auth/share-by-link/password` (oauth.md 9).
 */
export const shareRoutes: readonly Route<ShareServices>[] = [
  defineRoute({
    method: 'GET',
    path: '/shared/:id',
    handler: showShared,
    auth: anybody,
    family: 'json',
    statuses: [200, 400, 403, 404],
    summary: 'Shows what a link shares.',
    source: 'oauth.md 9',
  }),
  defineRoute({
    ...shared,
    method: 'GET',
    path: '/shares',
    handler: listShares,
    statuses: [200, 400, 401],
    summary: 'Lists the links of the caller.',
  }),
  defineRoute({
    ...shared,
    method: 'POST',
    path: '/shares',
    handler: createShare,
    activity: 'share.made',
    body: { types: ['json'], schema: shareSchema, refuse: malformed },
    grows: true,
    statuses: [201, 400, 401, 403, 404, 413, 415],
    summary: 'Shares documents by a link, with a password perhaps.',
  }),
  defineRoute({
    ...shared,
    method: 'DELETE',
    path: '/shares/:id',
    handler: removeShare,
    activity: 'share.ended',
    statuses: [204, 400, 401, 404],
    summary: 'Takes a link back; of an app, its linked clients may, and the other way round.',
  }),
]

async function showShared(ctx: RouteContext, { shares, shown, ui }: ShareServices): Promise<void> {
  const { instance } = ctx.state
  const share = await shares.find(instance, idOf(ctx))
  if (share === undefined) throw new OAuthError('not_found')
  if (!(await ui.hasShareCookie(ctx, share.id))) {
    throw new OAuthError('forbidden', { description: 'the password of the link is needed' })
  }
  const found = await Promise.all(share.ids.map((id) => shown.get(instance, share.type, id)))
  answer(ctx, 200, {
    documents: found.flatMap((document) =>
      document === undefined ? [] : [{ _id: document.id, ...document.fields }],
    ),
  })
}

async function listShares(ctx: RouteContext, { shares }: ShareServices): Promise<void> {
  const { owner } = accessOf(ctx)
  const own = await shares.list(ctx.state.instance, owner)
  answer(ctx, 200, { shares: own.map((share) => toWire(ctx, share)) })
}

async function createShare(
  ctx: RouteContext<ShareBody>,
  { isShareable, oauth, shares, shown, ui }: ShareServices,
): Promise<void> {
  const access = accessOf(ctx)
  const { instance, body } = ctx.state
  if (body === undefined || !isPassword(body.password)) throw malformed()
  const { type, ids, password } = body
  if (!isShareable(type)) {
    throw new OAuthError('forbidden', { description: `documents of ${type} are not shared` })
  }
  for (const id of ids) {
    const document = await shown.get(instance, type, id)
    if (!access.allows('GET', type, { ...document?.fields, id })) throw insufficientScope()
    if (document === undefined) throw new OAuthError('not_found')
  }
  const hashed = password !== undefined && { password: await ui.hashSharePassword(password) }
  const link = { owner: access.owner, type, ids, ...hashed }
  const note = noteShare(ctx, oauth, 'share.made', { type, documents: ids.length })
  const share = await shares.create(instance, link, note)
  answer(ctx, 201, toWire(ctx, share))
}

async function removeShare(ctx: RouteContext, { oauth, shares }: ShareServices): Promise<void> {
  const { owner } = accessOf(ctx)
  const note = noteShare(ctx, oauth, 'share.ended')
  if (!(await shares.remove(ctx.state.instance, owner, idOf(ctx), note))) {
    throw new OAuthError('not_found')
  }
  ctx.status = 204
}

/** Notes how much of which kind is shared: ids of documents, and that of a link, which opens it, are nobody's to read. */
function noteShare(
  ctx: RouteContext,
  { activity, clientAddress }: ShareServices['oauth'],
  event: 'share.ended' | 'share.made',
  detail?: { readonly type: string; readonly documents: number },
): readonly Change[] {
  const { client, app } = accessOf(ctx)
  const actor: ActivityActor =
    client === undefined
      ? { kind: 'app', id: app?.slug ?? '', name: app?.name ?? '' }
      : { kind: 'client', id: client.id, name: client.metadata.client_name }
  const origin = { ip: clientAddress(ctx) }
  return activity.pending(ctx.state.instance, { event, actor, origin, ...(detail && { detail }) })
}

/** Who calls, behind {@link requireBearer}. */
export function accessOf({ state: { access } }: RouteContext): AccessContext {
  if (access === undefined) throw new Error('a request was authenticated without access')
  return access
}

function toWire(ctx: RouteContext, { id, type, ids, password }: Share): Record<string, unknown> {
  const url = `${ctx.state.instance.origin}/shared/${id}`
  return { id, type, ids, url, hasPassword: password !== undefined }
}

function isPassword(password = ''): boolean {
  return password.isWellFormed() && Buffer.byteLength(password) <= MAX_PASSWORD_BYTES
}

function idOf(ctx: RouteContext): string {
  const id = String(ctx['params'].id)
  if (!PERM_ID.test(id)) throw new OAuthError('not_found')
  return id
}

function answer(ctx: RouteContext, status: number, body: unknown): void {
  ctx.status = status
  ctx.type = 'application/json; charset=utf-8'
  ctx.body = JSON.stringify(body)
}

function malformed(): OAuthError {
  return new OAuthError('invalid_request', { description: 'the share is malformed' })
}
