import type { Client } from '../clients/client.ts'
import { isSlug, type RouteContext, type RouteMiddleware, type RouteRow } from '@svc/platform'
import { MAXIMAL } from '../scopes/permission.ts'
import type { KonnectorTokens } from './konnector-token.ts'
import { insufficientScope } from '../tokens/refusals.ts'

export interface KonnectorTokenDependencies {
  readonly konnectorTokens: KonnectorTokens
  /** Sets `ctx.state.access`, or throws. */
  readonly authenticate: (ctx: RouteContext) => Promise<void>
  /** Whether a client may have scope `*`. */
  readonly isCertified: (client: Client) => boolean
}

/** `POST /auth/tokens/konnectors/:slug`: a certified app starts a konnector. @see oauth.md 8 */
export function konnectorTokenRow(dependencies: KonnectorTokenDependencies): RouteRow {
  return {
    method: 'POST',
    path: '/auth/tokens/konnectors/:slug',
    handler: (ctx) => sendKonnectorToken(ctx, dependencies),
    use: [requireCertifiedClient(dependencies)],
    auth: ['access token'],
    body: {
      types: ['json', 'form'],
      optional: true,
      schema: { description: 'nothing of it is read' },
    },
    statuses: [201, 400, 401, 403, 404, 413, 415],
    family: 'json',
    summary: 'Gives a certified client a token of an installed konnector.',
    source: 'oauth.md 8; clients.md 16, 25',
  }
}

/** Before the body is read: who may not ask does not get to send. */
function requireCertifiedClient({
  authenticate,
  isCertified,
}: KonnectorTokenDependencies): RouteMiddleware {
  return async function requireCertified(ctx, next) {
    await authenticate(ctx)
    const { access } = ctx.state
    const isMaximal = access?.permissions.includes(MAXIMAL) === true
    if (access?.kind !== 'access' || access.client === undefined || !isMaximal) {
      throw insufficientScope()
    }
    if (!isCertified(access.client)) throw insufficientScope()
    await next()
  }
}

async function sendKonnectorToken(
  ctx: RouteContext,
  { konnectorTokens }: KonnectorTokenDependencies,
): Promise<void> {
  const { instance } = ctx.state
  const slug = String(ctx['params']?.slug)
  const token = isSlug(slug) ? await konnectorTokens.issue(instance, slug) : undefined
  if (token === undefined) {
    // SPEC: oauth.md 8 - exactly this.
    ctx.status = 404
    ctx.body = { error: 'not found' }
    return
  }
  ctx.status = 201
  ctx.type = 'application/json; charset=utf-8'
  ctx.body = JSON.stringify(token)
}
