import { insufficientScope, type OAuth, OAuthError } from '@svc/oauth-core'
import {
  compiledSchema,
  createRateLimits,
  HOUR_MS,
  type RouteContext,
  type RouteRow,
} from '@svc/platform'
import type { DocumentStore, Fields } from '../../documents/document-store.ts'
import { type OfferBody, offerSchema } from './share.schema.ts'
import type { SharingOffers } from './sharing-offers.ts'

export interface SharingRouteOptions {
  readonly oauth: Pick<OAuth, 'authenticate' | 'clock' | 'instances' | 'store'>
  readonly offers: Pick<SharingOffers, 'offer'>
  readonly documents: DocumentStore
  /** Whether documents of a type can be another owner's, as they are. */
  readonly isOfferable: (type: string) => boolean
}

/** Of one owner, to all others. */
const LIMITS = { sharings: { limit: 20, windowMs: HOUR_MS } }

/**
 * How the demo offers documents to another owner of the same server. It writes into the store of somebody who was not
 * asked yet, so how often, how much and for how long is bounded.
 * @see docs/decisions/0217-what-owners-write-for-others.md
 */
export function sharingRoutes(options: SharingRouteOptions): readonly RouteRow[] {
  const { oauth, offers, documents, isOfferable } = options
  const { store, clock } = oauth
  const limits = createRateLimits({ store, clock, limits: LIMITS, tooMany })

  async function offer(ctx: RouteContext): Promise<void> {
    const { instance, access } = ctx.state
    if (access === undefined) throw new Error('a request was authenticated without access')
    const { to, type, ids, description } = readOffer(ctx.state.json)
    if (!isOfferable(type)) {
      throw new OAuthError('forbidden', { description: `documents of ${type} are not offered` })
    }
    // Before anything is looked up: who asks often does not learn who is here.
    await limits.hit(instance, 'sharings')
    const shared: Fields[] = []
    for (const id of ids) {
      const document = await documents.get(instance, type, id)
      if (!access.allows('GET', type, { ...document?.fields, id })) throw insufficientScope()
      if (document === undefined) throw new OAuthError('not_found')
      shared.push(document.fields)
    }
    const invited = await oauth.instances.byHost(to)
    if (invited === undefined || invited.id === instance.id || invited.status !== 'active') {
      throw new OAuthError('not_found', { description: 'there is no such owner here' })
    }
    const path = await offers.offer(invited, {
      from: instance.id,
      sharer: { name: instance.publicName ?? instance.domain, domain: instance.domain },
      ...{ description, type, documents: shared },
    })
    if (path === undefined) throw tooMany('sharings', HOUR_MS / 1000)
    ctx.status = 201
    ctx.type = 'application/json; charset=utf-8'
    ctx.body = JSON.stringify({ url: `${invited.origin}${path}` })
  }

  /** Before the body is read: who may not send does not get to. */
  async function requireBearer(ctx: RouteContext, next: () => Promise<void>): Promise<void> {
    await oauth.authenticate(ctx)
    await next()
  }

  return [
    {
      method: 'POST',
      path: '/sharings',
      handler: offer,
      auth: ['access token', 'app token'],
      use: [requireBearer],
      body: { types: ['json'], schema: offerSchema },
      cors: 'app-origins-or-any',
      family: 'json',
      statuses: [201, 400, 401, 403, 404, 413, 415, 429],
      summary:
        'Offers documents of at most 128 KiB to another owner of this server, for 14 days: 20 times an hour, and 10 that wait.',
      source: 'oauth.md 5.9',
    },
  ]
}

function readOffer(json: unknown): OfferBody {
  if (!compiledSchema<OfferBody>(offerSchema)(json)) throw malformed()
  const { to, description } = json
  if (!to.isWellFormed() || !description.isWellFormed()) throw malformed()
  return { ...json, to: to.toLowerCase() }
}

function tooMany(_: string, retryAfterS: number): OAuthError {
  const headers = { 'Retry-After': String(retryAfterS) }
  return new OAuthError('too_many_requests', { headers, detail: 'offers to other owners' })
}

function malformed(): OAuthError {
  return new OAuthError('invalid_request', { description: 'the offer is malformed' })
}
