import type { Context } from 'koa'
import { type Client, linkedSlug } from '../clients/client.ts'
import type { Grant } from '../engine/engine.ts'
import { OAuthError } from '../errors.ts'
import {
  createFreshCache,
  type Instance,
  type Keyring,
  type Logger,
  type Revocations,
} from '@svc/platform'
import type { AppRegistry, KonnectorRegistry, ManifestPermission, OwnerSessions } from '../ports.ts'
import { isAllowed } from '../scopes/evaluate.ts'
import type { ForbiddenScopes } from '../scopes/forbidden.ts'
import { slugOfScope } from '../scopes/linked.ts'
import { manifestPermissions } from '../scopes/manifest.ts'
import { MAXIMAL, type Permission } from '../scopes/permission.ts'
import { parseScope } from '../scopes/scope.ts'
import type { AccessContext, TokenAccess } from './access-context.ts'
import { readBearer } from '../tokens/bearer.ts'
import { invalidToken, missingToken } from '../tokens/refusals.ts'
import { createTokenCache, type VerifiedToken } from './token-cache.ts'
import type { Audience } from '../tokens/verify-jwt.ts'

export interface AccessDependencies {
  readonly clock: { now(): number }
  readonly log: Logger
  /** Prefix of doctypes (D20). */
  readonly namespace: string
  readonly keyring: Keyring
  readonly apps: Pick<AppRegistry, 'installed'>
  /** Absent: there are none. */
  readonly konnectors?: KonnectorRegistry | undefined
  /** Whether a client may have scope `*`. @defaultValue its own flag */
  readonly isCertified?: (client: Client) => boolean
  /** The client's record as it is stored now. */
  readonly findClient: (instance: Instance, clientId: string) => Promise<Client | undefined>
  /** The grant as it is stored now. */
  readonly findGrant: (instance: Instance, grantId: string) => Promise<Grant | undefined>
  /** Undefined until `useSessions` (D49). */
  readonly sessions: () => OwnerSessions | undefined
  readonly revocations: Pick<Revocations, 'listen'>
  /** Told now and then, when a client's record is looked up anew: who calls, and from where. */
  readonly noteUse: (instance: Instance, clientId: Client['id'], ctx: Context) => void
  readonly forbidden: ForbiddenScopes
  /** Verified tokens kept in memory, and clients and grants of the last seconds. @defaultValue `10_000` */
  readonly cacheSize?: number
}

/** Finds out who calls. @see oauth.md 7.2 */
export interface Access {
  /**
   * Who calls with the request's bearer token, and what it may do. On an app's token the request's session counts too.
   * @throws OAuthError `missing_token` or `invalid_token`; 500 for an app's token before `useSessions`
   */
  authenticate(ctx: Context): Promise<AccessContext>
  /**
   * Who a token speaks for that came some other way than in the request's header. On an app's token the session of
   * `ctx` counts.
   * @throws OAuthError `invalid_token`; 500 for an app's token before `useSessions`
   */
  authenticateToken(ctx: Context, token: string): Promise<TokenAccess>
}

/** SPEC: security.md 78 - refused everywhere within a second; the rest of it is for the answer to come back. */
const TRUST_MS = 900

export function createAccess(dependencies: AccessDependencies): Access {
  const { clock, log, namespace, keyring, apps, forbidden } = dependencies
  const { isCertified = ({ flagship }: Client): boolean => flagship } = dependencies
  const max = dependencies.cacheSize ?? 10_000
  const tokens = createTokenCache({ clock, keyring, max })
  const clients = createFreshCache<Client | undefined>({ clock, maxAgeMs: TRUST_MS, max })
  const grants = createFreshCache<Grant | undefined>({ clock, maxAgeMs: TRUST_MS, max })
  const permissionsOfApps = new WeakMap<Manifest, readonly Permission[]>()
  /** By scope, for as long as the client's record is in use. */
  const contexts = new WeakMap<Client, Map<string, AccessContext>>()

  dependencies.revocations.listen({
    onRevoked: ({ instanceId, kind, id }) => {
      if (kind === 'client') clients.drop(`${instanceId}:${id}`)
      if (kind === 'grant') grants.drop(`${instanceId}:${id}`)
    },
    onGap: () => {
      clients.clear()
      grants.clear()
    },
  })

  /** Whom the tokens of each audience speak for. */
  const holders: Readonly<
    Record<
      Audience,
      (instance: Instance, token: VerifiedToken, ctx: Context) => Promise<AccessContext>
    >
  > = { access: accessOfClient, app: accessOfApp, konn: accessOfKonnector }

  async function authenticate(ctx: Context): Promise<AccessContext> {
    const instance = instanceOf(ctx)
    const bearer = readBearer(ctx.req)
    if (bearer === 'missing') throw missingToken(instance)
    if (bearer === 'malformed') throw invalidToken('malformed Authorization header')
    const token = await verify(instance, bearer.token)
    return holders[token.audience](instance, token, ctx)
  }

  async function authenticateToken(ctx: Context, text: string): Promise<TokenAccess> {
    const instance = instanceOf(ctx)
    const token = await verify(instance, text)
    const access = await holders[token.audience](instance, token, ctx)
    const { sub: subject, gid } = token.claims
    const { audience, expiresAt } = token
    return { ...access, audience, subject, expiresAt, ...(gid !== undefined && { grantId: gid }) }
  }

  async function verify(instance: Instance, text: string): Promise<VerifiedToken> {
    const verifying = tokens.verify(instance, text)
    const token = verifying instanceof Promise ? await verifying : verifying
    const key = await keyring.find(instance, token.kind, token.kid)
    if (key === undefined) throw invalidToken('its key was replaced')
    return token
  }

  async function accessOfClient(
    instance: Instance,
    token: VerifiedToken,
    ctx: Context,
  ): Promise<AccessContext> {
    const { sub, gid, scope } = token.claims
    if (gid === undefined || scope === undefined) throw invalidToken('claims are missing')
    const findingGrant = grants.get(`${instance.id}:${gid}`, () =>
      dependencies.findGrant(instance, gid),
    )
    const findingClient = clients.get(`${instance.id}:${sub}`, () =>
      dependencies.findClient(instance, sub),
    )
    const grant = findingGrant instanceof Promise ? await findingGrant : findingGrant
    const client = findingClient instanceof Promise ? await findingClient : findingClient
    if (client === undefined) throw invalidToken('its client is gone')
    if (grant === undefined || grant.clientId !== client.id) throw invalidToken('its grant is gone')
    // Once in a while is enough for a stamp, and costs the requests in between nothing.
    if (findingClient instanceof Promise) dependencies.noteUse(instance, client.id, ctx)

    const slug = slugOfScope(namespace, scope)
    if (slug !== undefined) return accessOfLinked(instance, client, slug)
    return contextOf(client, scope)
  }

  function contextOf(client: Client, scope: string): AccessContext {
    let ofClient = contexts.get(client)
    if (ofClient === undefined) {
      ofClient = new Map()
      contexts.set(client, ofClient)
    }
    let context = ofClient.get(scope)
    if (context === undefined) {
      const permissions = permissionsOfScope(client, scope)
      const owner = `${namespace}.oauth.clients/${client.id}`
      context = withPermissions({ kind: 'access', client, owner }, permissions)
      ofClient.set(scope, context)
    }
    return context
  }

  async function accessOfLinked(
    instance: Instance,
    client: Client,
    slug: string,
  ): Promise<AccessContext> {
    if (linkedSlug(client.metadata.software_id) !== slug) throw invalidToken('not linked to it')
    const app = await apps.installed(instance, slug)
    if (app === undefined) throw invalidToken('its app is not installed')
    // SPEC: oauth.md 12.1 - a linked client has what its app has, but installs nothing.
    const permissions = forbidden.withoutInstalling(permissionsOfApp(app))
    // SPEC: D30 - app and linked client own the same shares and notifications.
    const owner = `${namespace}.apps/${slug}`
    return withPermissions({ kind: 'access', client, app, owner }, permissions)
  }

  async function accessOfApp(
    instance: Instance,
    token: VerifiedToken,
    ctx: Context,
  ): Promise<AccessContext> {
    const sessions = dependencies.sessions()
    if (sessions === undefined) {
      log.error('guard.sessions_missing', { hint: 'call oauth.useSessions() before serving' })
      throw new OAuthError('internal_error', { detail: 'an app token before useSessions' })
    }
    const { sub, session_id: sessionId } = token.claims
    if (sessionId === undefined) throw invalidToken('claims are missing')
    const [app, session] = await Promise.all([apps.installed(instance, sub), sessions.current(ctx)])
    if (app === undefined) throw invalidToken('its app is not installed')
    if (session?.id !== sessionId) throw invalidToken('not of this session')
    const owner = `${namespace}.apps/${sub}`
    return withPermissions({ kind: 'app', app, sessionId, owner }, permissionsOfApp(app))
  }

  async function accessOfKonnector(
    instance: Instance,
    { claims }: VerifiedToken,
  ): Promise<AccessContext> {
    const slug = claims.sub
    const konnector = await dependencies.konnectors?.installed(instance, slug)
    if (konnector === undefined) throw invalidToken('its konnector is not installed')
    const owner = `${namespace}.konnectors/${slug}`
    return withPermissions({ kind: 'konnector', konnector, owner }, permissionsOfApp(konnector))
  }

  function permissionsOfScope(client: Client, scope: string): readonly Permission[] {
    if (scope === '*') {
      if (!isCertified(client)) throw invalidToken('its client is not certified')
      return [MAXIMAL]
    }
    const permissions = parseScope(scope)
    if (permissions === undefined) throw invalidToken('malformed scope')
    return client.flagship ? permissions : forbidden.allowed(permissions)
  }

  function permissionsOfApp(app: Manifest): readonly Permission[] {
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

  return { authenticate, authenticateToken }
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
