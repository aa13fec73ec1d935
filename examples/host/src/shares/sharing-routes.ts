import {
  compiledSchema,
  insufficientScope,
  type OAuth,
  OAuthError,
  type RouteContext,
  type RouteRow,
} from '@svc/oauth-core'
import type { DocumentStore, Fields } from '../data/document-store.ts'
import { type OfferBody, offerSchema } from './share.schema.ts'
import type { SharingOffers } from './sharing-offers.ts'

export interface SharingRouteOptions {
  readonly oauth: Pick<OAuth, 'authenticate' | 'instances'>
  readonly offers: Pick<SharingOffers, 'offer'>
  readonly documents: DocumentStore
}

/** How the demo offers documents to another owner of the same server. */
export function sharingRoutes(options: SharingRouteOptions): readonly RouteRow[] {
  const { oauth, offers, documents } = options

  async function offer(ctx: RouteContext): Promise<void> {
    await oauth.authenticate(ctx)
    const { instance, access } = ctx.state
    if (access === undefined) throw new Error('a request was authenticated without access')
    const { to, type, ids, description } = readOffer(ctx.state.json)
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
      sharer: { name: instance.publicName ?? instance.domain, domain: instance.domain },
      ...{ description, type, documents: shared },
    })
    ctx.status = 201
    ctx.type = 'application/json; charset=utf-8'
    ctx.body = JSON.stringify({ url: `${invited.origin}${path}` })
  }

  return [
    {
      method: 'POST',
      path: '/sharings',
      handler: offer,
      auth: ['access token', 'app token'],
      body: { types: ['json'], schema: offerSchema },
      cors: 'app-origins-or-any',
      family: 'json',
      statuses: [201, 400, 401, 403, 404, 413, 415],
      summary: 'Offers documents to another owner of this server.',
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

function malformed(): OAuthError {
  return new OAuthError('invalid_request', { description: 'the offer is malformed' })
}
