import { renderError } from '@svc/platform'
import type { Context, Middleware, Next } from 'koa'
import { grantKey } from '../engine/grant.ts'
import { noteUse } from '../engine/rotation/note-use.ts'
import { OAuthError } from '../errors.ts'
import { identifierOf, type Resource } from '../resources/resources.ts'
import { isSubset } from '../scopes/evaluate.ts'
import { parseScope } from '../scopes/scope.ts'
import type { OAuthServices } from '../services.ts'
import { expiredToken, invalidToken, missingToken, readBearer } from '../tokens/bearer.ts'
import { withPermissions } from './access.ts'
import type { ResourceAccess } from './access-context.ts'
import { findGranted, instanceOf, verify } from './caller.ts'
import { challengeOf } from './resource-challenge.ts'

/**
 * A guard for a resource of any Koa server behind `resolveInstance`: only a token of this very resource passes. It sets
 * `ctx.state.access` to a {@link ResourceAccess}, and answers 401 itself.
 * @see assistants.md 1.6, 4.5
 */
export function guardResource(resource: Resource, services: OAuthServices): Middleware {
  return async function requireResourceToken(ctx: Context, next: Next): Promise<void> {
    try {
      ctx.state['access'] = await authenticateAt(ctx, services, resource)
    } catch (thrown) {
      ctx.set('Cache-Control', 'no-store')
      const isRefused = OAuthError.is(thrown) && thrown.status === 401
      const error = isRefused ? challengeOf(thrown, resource, instanceOf(ctx)) : thrown
      await renderError(ctx, error, 'json', { log: services.log })
      return
    }
    await next()
  }
}

async function authenticateAt(
  ctx: Context,
  services: OAuthServices,
  resource: Resource,
): Promise<ResourceAccess> {
  const instance = instanceOf(ctx)
  const bearer = readBearer(ctx.req)
  if (bearer === 'missing') throw missingToken(instance)
  if (bearer === 'malformed') throw invalidToken('malformed Authorization header')
  const token = await verify(services, instance, bearer.token, identifierOf(resource, instance))
  const { client, grant, scope } = await findGranted(ctx, services, token)
  if (!services.engine.described.isAllowed(client)) throw invalidToken('its host is denied')
  if (grant.resource !== resource.path) throw invalidToken('its grant is of another resource')
  const isChanged = await noteUse(services, instance, grant, token.claims.jti)
  if (isChanged) services.accessCaches.grants.drop(grantKey(instance.id, grant.id))
  const owner = `${services.namespace}.oauth.clients/${client.id}`
  const { reserved } = services.resources
  const rulesOf = (text: string) =>
    (parseScope(text) ?? []).filter((rule) => !reserved.includes(rule))
  const permissions = rulesOf(scope)
  const granted = rulesOf(grant.scope)
  // The owner took something away since: the client gets another token, of what is left (docs/decisions/0470).
  if (scope !== grant.scope && !isSubset(permissions, granted)) throw expiredToken()
  return {
    ...withPermissions({ kind: 'access', client, owner }, permissions),
    client,
    resource: resource.path,
    grantId: grant.id,
    granted,
  }
}
