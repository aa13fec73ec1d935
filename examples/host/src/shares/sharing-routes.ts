import { insufficientScope, type OAuth, OAuthError } from '@svc/oauth-core'
import { type RouteContext, type RouteRow } from '@svc/platform'
import type { DocumentStore, Fields } from '../data/document-store.ts'
import type { SharingOffers } from './sharing-offers.ts'

export interface SharingRouteOptions {
  readonly oauth: Pick<OAuth, 'authenticate' | 'instances'>
  readonly offers: Pick<SharingOffers, 'offer'>
  readonly documents: DocumentStore
}

const TYPE = /^[a-z0-9_]{1,60}(?:\.[a-z0-9_]{1,60}){1,7}$/
const ID = /^[A-Za-z0-9][A-Za-z0-9._~@-]{0,127}$/
const MAX_IDS = 100
const MAX_TEXT = 200

/** How the demo offers documents to another owner of the same server. */
export function sharingRoutes(options: SharingRouteOptions): readonly RouteRow[] {
  const { oauth, offers, documents } = options

  async function offer(ctx: RouteContext): Promise<void> {
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
      body: { types: ['json'] },
      cors: 'app-origins-or-any',
      family: 'json',
      statuses: [201, 400, 401, 403, 404, 413, 415],
      summary: 'Offers documents to another owner of this server.',
      source: 'oauth.md 5.9',
    },
  ]
}

function readOffer(json: unknown): {
  readonly to: string
  readonly type: string
  readonly ids: readonly string[]
  readonly description: string
} {
  if (typeof json !== 'object' || json === null) throw malformed()
  const { to, type, ids, description } = json as Record<string, unknown>
  if (!isText(to) || !isText(description)) throw malformed()
  if (typeof type !== 'string' || !TYPE.test(type)) throw malformed()
  if (!Array.isArray(ids) || ids.length === 0 || ids.length > MAX_IDS) throw malformed()
  if (!ids.every((id) => typeof id === 'string' && ID.test(id))) throw malformed()
  return { to: to.toLowerCase(), type, ids, description }
}

function isText(value: unknown): value is string {
  return (
    typeof value === 'string' && value !== '' && value.length <= MAX_TEXT && value.isWellFormed()
  )
}

function malformed(): OAuthError {
  return new OAuthError('invalid_request', { description: 'the offer is malformed' })
}
