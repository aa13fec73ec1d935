import { createFreshCache, type Instance, type Keyring, type Revocations } from '@svc/platform'
import type { Store } from '@svc/store'
import type { Context } from 'koa'
import { type CertificationRule, type Client, isCertified, linkedSlug } from '../clients/client.ts'
import type { ClientStore } from '../clients/client-store.ts'
import { findGrant, type Grant } from '../engine/grant.ts'
import type { LastUse } from '../engine/last-use.ts'
import { OAuthError } from '../errors.ts'
import type { AppRegistry, KonnectorRegistry, ManifestPermission, OwnerSessions } from '../ports.ts'
import { isAllowed, isSubset } from '../scopes/evaluate.ts'
import type { ForbiddenScopes } from '../scopes/forbidden.ts'
import { manifestPermissions } from '../scopes/manifest.ts'
import { MAXIMAL, type Permission } from '../scopes/permission.ts'
import { parseScope, slugOfScope } from '../scopes/scope.ts'
import { expiredToken, invalidToken, missingToken, readBearer } from '../tokens/bearer.ts'
import type { Audience } from '../tokens/jwt.ts'
import { TokenCache, type VerifiedToken } from '../tokens/token-cache.ts'
import type { AccessContext, TokenAccess } from './access-context.ts'
import type { OAuthLog } from '../log/log-events.ts'

/** What it takes to find out who calls. */
export interface AccessServices {
  readonly store: Pick<Store, 'get'>
  readonly clock: { now(): number }
  readonly log: OAuthLog
  /** Prefix of doctypes (D20). */
  readonly namespace: string
  readonly keyring: Keyring
  readonly apps: Pick<AppRegistry, 'installed'>
  /** Undefined: there are none. */
  readonly konnectors: KonnectorRegistry | undefined
  readonly flagship: CertificationRule
  readonly clients: Pick<ClientStore, 'find'>
  readonly engine: { readonly lastUsed: Pick<LastUse, 'note'> }
  readonly forbidden: ForbiddenScopes
  readonly clientAddress: (ctx: Context) => string
  /** Sessions are absent until `useSessions` (D49). */
  readonly given: { readonly sessions?: OwnerSessions | undefined }
  readonly accessCaches: AccessCaches
}

type FreshCache<Value> = ReturnType<typeof createFreshCache<Value>>

/** SPEC: security.md 78 - refused everywhere within a second; the rest of it is for the answer to come back. */
const TRUST_MS = 900

/** What the guard remembers between requests. */
export class AccessCaches {
  readonly tokens: TokenCache
  readonly clients: FreshCache<Client | undefined>
  readonly grants: FreshCache<Grant | undefined>
  readonly permissionsOfApps: WeakMap<Manifest, readonly Permission[]> = new WeakMap()
  /** By scope, for as long as the client's record is in use. */
  readonly contexts: WeakMap<Client, Map<string, AccessContext>> = new WeakMap()

  /** @param options.max - verified tokens kept in memory, and clients and grants of the last seconds */
  constructor(options: {
    readonly clock: { now(): number }
    readonly keyring: Keyring
    readonly revocations: Pick<Revocations, 'listen'>
    readonly max: number
  }) {
    const { clock, keyring, revocations, max } = options
    this.tokens = new TokenCache({ clock, keyring, max })
    this.clients = createFreshCache({ clock, maxAgeMs: TRUST_MS, max })
    this.grants = createFreshCache({ clock, maxAgeMs: TRUST_MS, max })
    revocations.listen({
      onRevoked: ({ instanceId, kind, id }) => {
        if (kind === 'client') this.clients.drop(`${instanceId}:${id}`)
        if (kind === 'grant') this.grants.drop(`${instanceId}:${id}`)
      },
      onGap: () => {
        this.clients.clear()
        this.grants.clear()
      },
    })
  }
}

/** Whom the tokens of each audience speak for. */
const HOLDERS: Readonly<
  Record<
    Audience,
    (ctx: Context, services: AccessServices, token: VerifiedToken) => Promise<AccessContext>
  >
> = { access: accessOfClient, app: accessOfApp, konn: accessOfKonnector }

/**
 * Who calls with the request's bearer token, and what it may do. On an app's token the request's session counts too.
 * @throws OAuthError `missing_token` or `invalid_token`; 500 for an app's token before `useSessions`
 * @see oauth.md 7.2
 */
export async function authenticate(ctx: Context, services: AccessServices): Promise<AccessContext> {
  const instance = instanceOf(ctx)
  const bearer = readBearer(ctx.req)
  if (bearer === 'missing') throw missingToken(instance)
  if (bearer === 'malformed') throw invalidToken('malformed Authorization header')
  const token = await verify(services, instance, bearer.token)
  return HOLDERS[token.audience](ctx, services, token)
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
  const { audience, expiresAt } = token
  return { ...access, audience, subject, expiresAt, ...(gid !== undefined && { grantId: gid }) }
}

async function verify(
  { accessCaches, keyring }: AccessServices,
  instance: Instance,
  text: string,
): Promise<VerifiedToken> {
  const verifying = accessCaches.tokens.verify(instance, text)
  const token = verifying instanceof Promise ? await verifying : verifying
  const key = await keyring.find(instance, token.kind, token.kid)
  if (key === undefined) throw invalidToken('its key was replaced')
  return token
}

async function accessOfClient(
  ctx: Context,
  services: AccessServices,
  token: VerifiedToken,
): Promise<AccessContext> {
  const { accessCaches, clients, namespace } = services
  const instance = instanceOf(ctx)
  const { sub, gid, scope } = token.claims
  if (gid === undefined || scope === undefined) throw invalidToken('claims are missing')
  const findingGrant = accessCaches.grants.get(`${instance.id}:${gid}`, () =>
    findGrant(services, instance, gid),
  )
  const findingClient = accessCaches.clients.get(`${instance.id}:${sub}`, () =>
    clients.find(instance, sub),
  )
  const grant = findingGrant instanceof Promise ? await findingGrant : findingGrant
  const client = findingClient instanceof Promise ? await findingClient : findingClient
  if (client === undefined) throw invalidToken('its client is gone')
  if (grant === undefined || grant.clientId !== client.id) throw invalidToken('its grant is gone')
  // Once in a while is enough for a stamp, and costs the requests in between nothing.
  if (findingClient instanceof Promise) {
    services.engine.lastUsed.note(instance, client.id, services.clientAddress(ctx))
  }
  const slug = slugOfScope(namespace, scope)
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
    sessions.current(ctx),
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

interface Manifest {
  readonly slug: string
  readonly permissions: Readonly<Record<string, ManifestPermission>>
}

function instanceOf(ctx: Context): Instance {
  // `resolveInstance` puts it there; without it the server is put together wrongly.
  const instance = ctx.state['instance'] as Instance | undefined
  if (instance === undefined) throw new TypeError('the guard runs behind resolveInstance()')
  return instance
}

function withPermissions(
  who: Omit<AccessContext, 'permissions' | 'allows'>,
  permissions: readonly Permission[],
): AccessContext {
  return {
    ...who,
    permissions,
    allows: (verb, type, document) => isAllowed(permissions, verb, type, document),
  }
}
