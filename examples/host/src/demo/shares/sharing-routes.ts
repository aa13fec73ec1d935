import { insufficientScope, type OAuth, OAuthError } from '@svc/oauth-core'
import {
  createRateLimits,
  defineRoute,
  HOUR_MS,
  type RateLimits,
  type Route,
  type RouteContext,
} from '@svc/platform'
import type { Clock, Store } from '@svc/store'
import type { DocumentStore, Fields } from '../../documents/document-store.ts'
import { accessOf, requireBearer } from './share-routes.ts'
import { type OfferBody, offerSchema } from './share.schema.ts'
import type { SharingOffers } from './sharing-offers.ts'

/** What offers between owners stand on. */
export interface SharingServices {
  readonly oauth: Pick<OAuth, 'authenticate' | 'instances'>
  readonly offers: Pick<SharingOffers, 'offer'>
  readonly limits: RateLimits<'sharings'>
  /** As those may read them who were not asked for what they may. */
  readonly shown: DocumentStore
  /** Whether documents of a type can be another owner's, as they are. */
  readonly isOfferable: (type: string) => boolean
}

/** Of one owner, to all others. */
export function sharingLimits(store: Store, clock: Clock): RateLimits<'sharings'> {
  const limits = { sharings: { limit: 20, windowMs: HOUR_MS } }
  return createRateLimits({ store, clock, limits, tooMany })
}

/**
 * How the demo offers documents to another owner of the same server. It writes into the store of somebody who was not
 * asked yet, so how often, how much and for how long is bounded.
 * @see docs/decisions/0217-what-owners-write-for-others.md
 */
export const sharingRoutes: readonly Route<SharingServices>[] = [
  defineRoute({
    method: 'POST',
    path: '/sharings',
    handler: offerDocuments,
    activity: { none: 'An offer gives nothing: whoever accepts it has the entry.' },
    auth: requireBearer,
    limit: [
      { bucket: 'sharings', inRule: 'each offer that may be made, before anything is looked up' },
    ],
    body: { types: ['json'], schema: offerSchema, refuse: malformed },
    cors: 'app-origins-or-any',
    family: 'json',
    grows: true,
    statuses: [201, 400, 401, 403, 404, 413, 415, 429],
    summary:
      'Offers documents of at most 64 KiB to another owner of this server, for 90 days: 20 times an hour, and 10 that wait.',
    source: 'oauth.md 5.9',
  }),
]

async function offerDocuments(
  ctx: RouteContext<OfferBody>,
  { isOfferable, limits, oauth, offers, shown }: SharingServices,
): Promise<void> {
  const access = accessOf(ctx)
  const { instance, body } = ctx.state
  if (!body?.to.isWellFormed() || !body.description.isWellFormed()) throw malformed()
  const { type, ids, description } = body
  if (!isOfferable(type)) {
    throw new OAuthError('forbidden', { description: `documents of ${type} are not offered` })
  }
  // Before anything is looked up: who asks often does not learn who is here.
  await limits.hit(instance, 'sharings')
  const documents: Fields[] = []
  // Naming a document again does not make it two.
  for (const id of new Set(ids)) {
    const document = await shown.get(instance, type, id)
    if (!access.allows('GET', type, { ...document?.fields, id })) throw insufficientScope()
    if (document === undefined) throw new OAuthError('not_found')
    documents.push(document.fields)
  }
  const invited = await oauth.instances.byHost(body.to.toLowerCase())
  if (invited === undefined || invited.id === instance.id || invited.status !== 'active') {
    throw new OAuthError('not_found', { description: 'there is no such owner here' })
  }
  const path = await offers.offer(invited, {
    from: instance.id,
    sharer: { name: instance.publicName ?? instance.domain, domain: instance.domain },
    description,
    type,
    documents,
  })
  if (path === undefined) throw tooMany('sharings', HOUR_MS / 1000)
  ctx.status = 201
  ctx.type = 'application/json; charset=utf-8'
  ctx.body = JSON.stringify({ url: `${invited.origin}${path}` })
}

function tooMany(_: string, retryAfterS: number): OAuthError {
  const headers = { 'Retry-After': String(retryAfterS) }
  return new OAuthError('too_many_requests', { headers, detail: 'offers to other owners' })
}

function malformed(): OAuthError {
  return new OAuthError('invalid_request', { description: 'the offer is malformed' })
}
