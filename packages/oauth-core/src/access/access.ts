import { type Instance, viewOf } from '@svc/platform'
import type { Context } from 'koa'
import { type Client, isCertified, linkedSlug } from '../clients/client.ts'
import type { Grant } from '../engine/grant.ts'
import { OAuthError } from '../errors.ts'
import { isAllowed, isSubset } from '../scopes/evaluate.ts'
import { manifestPermissions } from '../scopes/manifest.ts'
import { MAXIMAL, type Permission } from '../scopes/permission.ts'
import { parseScope, slugOfScope } from '../scopes/scope.ts'
import { expiredToken, invalidToken, missingToken, readBearer } from '../tokens/bearer.ts'
import type { Audience, TokenKind } from '../tokens/jwt.ts'
import type { VerifiedToken } from '../tokens/token-cache.ts'
import type { AccessContext, TokenAccess } from './access-context.ts'
import {
  type AccessServices,
  findGranted,
  type Granted,
  instanceOf,
  type Manifest,
  verify,
} from './caller.ts'

/** Whom the tokens of each audience speak for. Those of resources speak to them alone. */
const HOLDERS: Readonly<
  Record<
    TokenKind,
    (
      ctx: Context,
      services: AccessServices,
      token: VerifiedToken,
    ) => AccessContext | Promise<AccessContext>
  >
> = {
  access: accessOfClient,
  app: accessOfApp,
  konn: accessOfKonnector,
  resource: () => {
    throw invalidToken('of a resource')
  },
}

/**
 * Who calls with the request's bearer token, and what it may do. On an app's token the request's session counts too.
 * Answers at once where all of that is known: nearly always, for clients that come again.
 * @throws OAuthError `missing_token` or `invalid_token`; 500 for an app's token before `useSessions`
 * @see oauth.md 7.2
 */
export function authenticate(
  ctx: Context,
  services: AccessServices,
): AccessContext | Promise<AccessContext> {
  const instance = instanceOf(ctx)
  const bearer = readBearer(ctx.req)
  if (bearer === 'missing') throw missingToken(instance)
  if (bearer === 'malformed') throw invalidToken('malformed Authorization header')
  const holderOf = (token: VerifiedToken) => HOLDERS[token.audience](ctx, services, token)
  const verifying = verify(services, instance, bearer.token)
  return verifying instanceof Promise ? verifying.then(holderOf) : holderOf(verifying)
}

/**
 * Who a token speaks for that came some other way than in the request's header. On an app's token the session of `ctx`
 * counts.
 * @throws OAuthError `invalid_token`; 500 for an app's token before `useSessions`
 */
export async function authenticateToken(
  ctx: Context,
  services: AccessServices,
  text: string,
): Promise<TokenAccess> {
  const token = await verify(services, instanceOf(ctx), text)
  const access = await HOLDERS[token.audience](ctx, services, token)
  const { sub: subject, gid } = token.claims
  const { expiresAt } = token
  const audience = token.audience as Audience // Of no resource, which has no holder.
  return { ...access, audience, subject, expiresAt, ...(gid !== undefined && { grantId: gid }) }
}

function accessOfClient(
  ctx: Context,
  services: AccessServices,
  token: VerifiedToken,
): AccessContext | Promise<AccessContext> {
  const accessOf = (granted: Granted) => accessOfGranted(services, instanceOf(ctx), granted)
  const finding = findGranted(ctx, services, token)
  return finding instanceof Promise ? finding.then(accessOf) : accessOf(finding)
}

function accessOfGranted(
  services: AccessServices,
  instance: Instance,
  { client, grant, scope }: Granted,
): AccessContext | Promise<AccessContext> {
  if (grant.resource !== undefined) throw invalidToken('its grant is of a resource')
  const slug = slugOfScope(services.namespace, scope)
  if (slug !== undefined) return accessOfLinked(services, instance, client, slug)
  return contextOf(services, client, scope, grant)
}

function contextOf(
  services: AccessServices,
  client: Client,
  scope: string,
  grant: Grant,
): AccessContext {
  const { contexts } = services.accessCaches
  let ofClient = contexts.get(client)
  if (ofClient === undefined) {
    ofClient = new Map()
    contexts.set(client, ofClient)
  }
  const key = scope === grant.scope ? scope : `${scope}\n${grant.scope}`
  let context = ofClient.get(key)
  if (context === undefined) {
    const permissions = permissionsOfScope(services, client, scope)
    // The owner took something away since: the client gets another token, of what is left (docs/decisions/0470).
    if (key !== scope && !isSubset(permissions, parseScope(grant.scope) ?? [])) {
      throw expiredToken()
    }
    const owner = `${services.namespace}.oauth.clients/${client.id}`
    context = withPermissions({ kind: 'access', client, owner }, permissions)
    ofClient.set(key, context)
  }
  return context
}

async function accessOfLinked(
  services: AccessServices,
  instance: Instance,
  client: Client,
  slug: string,
): Promise<AccessContext> {
  if (linkedSlug(client.metadata.software_id) !== slug) throw invalidToken('not linked to it')
  const app = await services.apps.installed(instance, slug)
  if (app === undefined) throw invalidToken('its app is not installed')
  // SPEC: oauth.md 12.1 - a linked client has what its app has, but installs nothing.
  const permissions = services.forbidden.withoutInstalling(permissionsOfApp(services, app))
  // SPEC: D30 - app and linked client own the same shares and notifications.
  const owner = `${services.namespace}.apps/${slug}`
  return withPermissions({ kind: 'access', client, app, owner }, permissions)
}

async function accessOfApp(
  ctx: Context,
  services: AccessServices,
  token: VerifiedToken,
): Promise<AccessContext> {
  const { apps, log, namespace } = services
  const { sessions } = services.given
  if (sessions === undefined) {
    log.error('guard.sessions_missing', { hint: 'call oauth.useSessions() before serving' })
    throw new OAuthError('internal_error', { detail: 'an app token before useSessions' })
  }
  const { sub, session_id: sessionId } = token.claims
  if (sessionId === undefined) throw invalidToken('claims are missing')
  const [app, session] = await Promise.all([
    apps.installed(instanceOf(ctx), sub),
    sessions.current(viewOf(ctx, services.clientAddress)),
  ])
  if (app === undefined) throw invalidToken('its app is not installed')
  if (session?.id !== sessionId) throw invalidToken('not of this session')
  const owner = `${namespace}.apps/${sub}`
  return withPermissions({ kind: 'app', app, sessionId, owner }, permissionsOfApp(services, app))
}

async function accessOfKonnector(
  ctx: Context,
  services: AccessServices,
  { claims: { sub: slug } }: VerifiedToken,
): Promise<AccessContext> {
  const konnector = await services.konnectors?.installed(instanceOf(ctx), slug)
  if (konnector === undefined) throw invalidToken('its konnector is not installed')
  const owner = `${services.namespace}.konnectors/${slug}`
  const permissions = permissionsOfApp(services, konnector)
  return withPermissions({ kind: 'konnector', konnector, owner }, permissions)
}

function permissionsOfScope(
  { flagship, forbidden }: AccessServices,
  client: Client,
  scope: string,
): readonly Permission[] {
  if (scope === '*') {
    if (!isCertified(client, flagship)) throw invalidToken('its client is not certified')
    return [MAXIMAL]
  }
  const permissions = parseScope(scope)
  if (permissions === undefined) throw invalidToken('malformed scope')
  return client.flagship ? permissions : forbidden.allowed(permissions)
}

function permissionsOfApp(
  { accessCaches: { permissionsOfApps }, log }: AccessServices,
  app: Manifest,
): readonly Permission[] {
  const known = permissionsOfApps.get(app)
  if (known !== undefined) return known
  let permissions: readonly Permission[] = []
  try {
    permissions = manifestPermissions(app.permissions)
  } catch (cause) {
    // The host checks manifests when it installs; one that slipped through gives no right at all.
    log.error('app.permissions_malformed', { slug: app.slug, cause: String(cause) })
  }
  permissionsOfApps.set(app, permissions)
  return permissions
}

export function withPermissions(
  who: Omit<AccessContext, 'permissions' | 'allows'>,
  permissions: readonly Permission[],
): AccessContext {
  return {
    ...who,
    permissions,
    allows: (verb, type, document) => isAllowed(permissions, verb, type, document),
  }
}
