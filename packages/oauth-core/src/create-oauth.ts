import {
  bindRoutes,
  createEmitter,
  createPlatform,
  createRateLimits,
  type KnownRequest,
  type RouteRow,
  versionedStore,
} from '@svc/platform'
import type { Context } from 'koa'
import { authenticate, authenticateToken } from './access/access.ts'
import type { AccessContext } from './access/access-context.ts'
import { createRequestGuards } from './access/authenticate-request.ts'
import { BuiltInApps } from './access/built-in-apps.ts'
import { AccessCaches } from './access/caller.ts'
import { guardRoute } from './access/guard.ts'
import { issueKonnectorToken } from './access/konnector-token.ts'
import { stepUp } from './access/resource-challenge.ts'
import { guardResource } from './access/resource-guard.ts'
import { assistantsOf } from './assistants/assistants.ts'
import { BusyWatch } from './assistants/busy-watch.ts'
import { CallLog } from './assistants/call-log.ts'
import { noteEnds } from './assistants/unasked-ends.ts'
import { checkMoveRequest, grantMove } from './authorize/moves.ts'
import { assembleDocuments } from './client-documents/assemble.ts'
import { ClientStore } from './clients/client-store.ts'
import { webPushKeyDigest } from './clients/device-token.ts'
import { LinkedApps } from './clients/linked-apps.ts'
import { closeEngine, createEngine } from './engine/engine.ts'
import { storeClient } from './registration/register.ts'
import { lendToTests } from './testing/test-access.ts'
import { OAuthError } from './errors.ts'
import type { OAuth } from './oauth.ts'
import { OAUTH_OPTIONS, type OAuthOptions } from './options.ts'
import type { AuthorizePages, OAuthEvents, OwnerSessions, TellAccessEnding } from './ports.ts'
import { OAUTH_RECORDS } from './records.ts'
import { dropLimit } from './registration/client-limit.ts'
import { clientServiceOf } from './registration/client-service.ts'
import { startEndings } from './registration/access-endings.ts'
import { startCleanup } from './registration/client-cleanup.ts'
import { ReservedTypes, Resources } from './resources/resources.ts'
import { oauthRoutes } from './routes.ts'
import { ForbiddenScopes } from './scopes/forbidden.ts'
import type { OAuthServices } from './services.ts'
import { issueAppToken } from './tokens/app-token.ts'

/**
 * Assembles the package. Nothing is read or written before the first request, or `start`.
 * @throws TypeError listing every fault of the options with its path
 * @example
 * const oauth = createOAuth({ store, keys })
 * oauth.useSessions(ui.sessions)
 * app.use(oauth.resolveInstance())
 * app.use(oauth.routes({ pages: ui.pages }))
 */
export function createOAuth(options: OAuthOptions): OAuth {
  const resolved = OAUTH_OPTIONS.settle(options)
  const { clock, log, namespace, lifetimes, cache, flagship } = resolved
  const apps = new BuiltInApps(resolved.apps)
  const platform = createPlatform({
    ...resolved,
    store: versionedStore(resolved.store, OAUTH_RECORDS, log),
    instanceCacheSize: cache.instances,
    signingKeyMs: lifetimes.signingKeyMs,
  })
  platform.records.declare(OAUTH_RECORDS)
  const { requests, revocations, useErrorPage, ...shared } = platform
  const { activity, clientAddress, instances, keyring, mount, sealer, store } = shared
  const emitter = createEmitter<OAuthEvents>(log)
  const clients = new ClientStore({ store, sealer, clock, lifetimes })
  const linkedApps = new LinkedApps({ apps, log })
  const given: {
    sessions?: OwnerSessions
    pages?: AuthorizePages
    tellAccessEnding?: TellAccessEnding
  } = {}

  const forbidden = new ForbiddenScopes(namespace, resolved.forbiddenScopes)
  const reserved = new ReservedTypes(namespace, forbidden, resolved.assistants.reserved)
  const resources = new Resources(reserved)

  const described = assembleDocuments({
    store,
    options: resolved,
    emitter,
    log,
    services: () => services,
  })

  const services: OAuthServices & { rows: readonly RouteRow[] } = {
    store,
    clock,
    log,
    namespace,
    keyring,
    sealer,
    instances,
    activity,
    revocations,
    emitter,
    limits: createRateLimits({ store, clock, limits: resolved.limits, tooMany }),
    clientAddress,
    lifetimes,
    apps,
    konnectors: resolved.konnectors,
    flagship,
    options: resolved,
    forbidden,
    resources,
    calls: new CallLog({
      store,
      clock,
      log,
      instances,
      busy: new BusyWatch({ store, log, instances, emitter }),
    }),
    clients,
    engine: createEngine({
      store,
      clock,
      log,
      keyring,
      clients,
      revocations,
      emitter,
      namespace,
      clientAddress,
      flagship,
      described,
      linkedApps,
      activity,
      lifetimes,
      wrongSecrets: resolved.limits.token,
      instanceCacheSize: cache.engines,
    }),
    accessCaches: new AccessCaches({ clock, keyring, revocations, store, max: cache.tokens }),
    given,
    rows: [],
  }
  services.rows = bindRoutes(oauthRoutes, services)
  const guarding = {
    authenticate: (ctx: Context) => authenticate(ctx, services),
    log,
    activity,
    page: () => given.pages?.error,
    // Secrets of providers: connectors.md 3.3 (1)
    reservedTypes: [`${namespace}.account_types`],
  }
  noteEnds(services)
  const clientService = clientServiceOf(services)
  instances.onRemove(async (instance) => {
    await clientService.revokeAll(instance)
    await dropLimit(services, instance)
  })
  let stopEndings: (() => Promise<void>) | undefined
  let stopCleanup: (() => Promise<void>) | undefined
  let stopCalls: (() => Promise<void>) | undefined

  const oauth: OAuth = {
    ...shared,

    routes({ pages }) {
      if (given.sessions === undefined) throw new TypeError('routes() comes after useSessions()')
      if (!resources.isEmpty) requireAssistantPage(pages)
      given.pages = pages
      useErrorPage(pages.error)
      return mount(services.rows, {
        page: pages.error,
        checkCsrf: pages.checkCsrf,
        demandsActivity: true,
      })
    },

    guard: (rule) => guardRoute(rule, guarding),
    ...createRequestGuards({ ...guarding, requests }),
    // Whoever calls is noted by the guards of this package alone.
    requestOf: (request) => requests.of(request) as KnownRequest<AccessContext> | undefined,

    resources: {
      add(resource) {
        if (given.pages !== undefined) requireAssistantPage(given.pages)
        return resources.add(resource)
      },
    },
    resourceGuard: (resource) => guardResource(resource, services),
    stepUp: (resource, instance, access, needs) =>
      stepUp(services, resource, instance, access, needs),

    useSessions(sessions) {
      if (given.sessions !== undefined) throw new TypeError('useSessions() is called once')
      given.sessions = sessions
    },

    tellAccessEndings(tell) {
      if (given.tellAccessEnding !== undefined) {
        throw new TypeError('tellAccessEndings() is called once')
      }
      given.tellAccessEnding = tell
    },

    useWebPushKey(publicKey) {
      clients.webPushKey = webPushKeyDigest(publicKey)
    },

    async authenticate(ctx: Context) {
      ctx.state['access'] = await authenticate(ctx, services)
    },
    authenticateToken: (ctx, token) => authenticateToken(ctx, services, token),
    rows: services.rows,
    clients: clientService,
    assistants: assistantsOf({ ...services, instances }),
    moves: {
      check: (ctx, parameters) => checkMoveRequest(ctx, services, parameters),
      grant: (ctx, request, size) => grantMove(ctx, services, request, size),
    },
    appTokens: {
      issue: (instance, app, sessionId) => issueAppToken(services, instance, app, sessionId),
    },
    konnectorTokens: {
      issue: (instance, slug) => issueKonnectorToken(services, instance, slug),
    },
    apps,
    useBuiltInApp: (app) => apps.add(app),
    on: emitter.on,

    async start() {
      await platform.start()
      stopCleanup ??= await startCleanup(services)
      stopEndings ??= await startEndings(services)
      stopCalls ??= await services.calls.start()
    },

    async close() {
      await linkedApps.close()
      await described.close()
      await stopCleanup?.()
      stopCleanup = undefined
      await stopEndings?.()
      stopEndings = undefined
      await stopCalls?.()
      stopCalls = undefined
      await closeEngine(services.engine)
      services.accessCaches.close()
      await platform.close()
    },
  }
  if (resolved.testing) {
    lendToTests(oauth, {
      register: async (instance, metadata) => (await storeClient(services, instance, metadata)).id,
      async issueToken(instance, id, scope) {
        const tokens = await clientService.issueTokens(instance, id, scope)
        if (tokens === undefined) throw new OAuthError('internal_error', { detail: 'just stored' })
        return tokens.access_token
      },
    })
  }
  return oauth
}

function tooMany(bucket: string, retryAfterS: number): OAuthError {
  const headers = { 'Retry-After': String(retryAfterS) }
  return new OAuthError('too_many_requests', { headers, detail: `over the limit of ${bucket}` })
}

/** @throws TypeError when nobody could ask the owner about assistants */
function requireAssistantPage({ assistant }: AuthorizePages): void {
  if (assistant === undefined) {
    throw new TypeError(
      'pages.assistant is missing: a server with a resource needs it to ask its owner',
    )
  }
}
