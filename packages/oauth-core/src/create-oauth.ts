import type { Context } from 'koa'
import { createMoves } from './authorize/moves.ts'
import { createEmitter, createPlatform, createRateLimits, type Emitter } from '@svc/platform'
import { createChallenges } from './certification/challenges.ts'
import { createFlagshipCodes } from './certification/flagship-codes.ts'
import type { Client } from './clients/client.ts'
import { createClientCleanup } from './registration/cleanup.ts'
import { createClientLimit } from './registration/client-limit.ts'
import { createClientNames } from './clients/client-names.ts'
import { createClientStore } from './clients/client-store.ts'
import { createClientService } from './registration/create-client-service.ts'
import { createLinkedInstalls } from './clients/linked-installs.ts'
import { createClientRevoker } from './registration/revoke-client.ts'
import { createEngine } from './engine/create-engine.ts'
import { OAuthError } from './errors.ts'
import type { OAuth } from './oauth.ts'
import { OAUTH_OPTIONS, type OAuthOptions } from './options.ts'
import type { AuthorizePages, OAuthEvents, OwnerSessions } from './ports.ts'
import { oauthRows } from './routes.ts'
import { grantableScope } from './registration/grantable-scope.ts'
import { createForbiddenScopes } from './scopes/forbidden.ts'
import { createAccess } from './access/access.ts'
import { createAppTokens } from './tokens/app-token.ts'
import { createGuard } from './access/guard.ts'
import { createKonnectorTokens } from './access/konnector-token.ts'

/**
 * Assembles the package. Nothing is read or written before the first request, or `start`.
 * @throws TypeError listing every fault of the options with its path
 * @example
 * const oauth = createOAuth({ store, apps, keys })
 * oauth.useSessions(ui.sessions)
 * app.use(oauth.resolveInstance())
 * app.use(oauth.routes({ pages: ui.pages }))
 */
export function createOAuth(options: OAuthOptions): OAuth {
  const resolved = OAUTH_OPTIONS.settle(options)
  const { store, apps, clock, log, namespace, lifetimes, cache } = resolved
  const given: { sessions?: OwnerSessions; pages?: AuthorizePages } = {}

  const platform = createPlatform({ ...resolved, instanceCacheSize: cache.instances })
  const { revocations, useErrorPage, ...shared } = platform
  const { clientAddress, instances, keyring, mount, sealer } = shared
  const emitter: Emitter<OAuthEvents> = createEmitter(log)

  const names = createClientNames(store, clock)
  const clients = createClientStore({ store, sealer, names, clock })
  const { skipCertification } = resolved.flagship
  const isCertified = ({ flagship }: Client): boolean => flagship || skipCertification
  const linkedInstalls = createLinkedInstalls({ apps, log })
  const engine = createEngine({
    demandApp: linkedInstalls.demand,
    isCertified,
    store,
    clock,
    log,
    keyring,
    clients,
    revocations,
    namespace,
    clientAddress,
    lifetimes,
    emit: emitter.emit,
    wrongSecrets: resolved.limits.token,
    instanceCacheSize: cache.engines,
  })
  const pendingMs = lifetimes.pendingClientMs
  const cleanup = createClientCleanup({ store, clock, instances, clients, engine, pendingMs })
  const challenges = createChallenges({ store, clock })
  const flagshipCodes = createFlagshipCodes({ store, clock, keyring })
  const revoker = createClientRevoker({
    ...{ clients, cleanup, engine, revocations, emitter, log },
    async forgetCertification(instance, id) {
      await challenges.forget(instance, id)
      await flagshipCodes.forget(instance, id)
    },
  })
  const clientLimit = createClientLimit({ store, clients })
  const clientService = createClientService({
    ...{ clients, engine, revoker, revocations, emitter, log, isCertified, clientLimit },
    scopeFor: (client, scope) =>
      grantableScope(client, scope, { namespace, forbidden, isCertified }),
  })
  instances.onRemove(async (instance) => {
    await clientService.revokeAll(instance)
    await clientLimit.forget(instance)
  })

  const forbidden = createForbiddenScopes(namespace, resolved.forbiddenScopes)
  const access = createAccess({
    clock,
    log,
    namespace,
    keyring,
    apps,
    konnectors: resolved.konnectors,
    isCertified,
    findClient: clients.find,
    findGrant: engine.findGrant,
    sessions: () => given.sessions,
    revocations,
    noteUse: (instance, id, ctx) => engine.noteUse(instance, id, clientAddress(ctx)),
    forbidden,
    cacheSize: cache.tokens,
  })
  const authenticate = async (ctx: Context): Promise<void> => {
    ctx.state['access'] = await access.authenticate(ctx)
  }

  const konnectorTokens = createKonnectorTokens({
    ...{ keyring, clock, konnectors: resolved.konnectors },
  })
  const { requirePkce } = resolved
  const rows = oauthRows({
    engine,
    keyring,
    clock,
    log,
    sealer,
    namespace,
    apps,
    forbidden,
    clients,
    clientService,
    challenges,
    flagshipCodes,
    flagship: resolved.flagship,
    konnectorTokens,
    isCertified,
    names,
    cleanup,
    revoker,
    revocations,
    emitter,
    clientAddress,
    authenticate,
    emit: emitter.emit,
    limits: createRateLimits({ store, clock, limits: resolved.limits, tooMany }),
    consent: resolved.consent,
    clientLimit,
    sharings: resolved.sharings,
    linkedInstalls,
    deprecatedApps: resolved.deprecatedApps,
    findClient: clients.find,
    markAllowed: clientService.markAllowed,
    requirePkce: typeof requirePkce === 'function' ? requirePkce : () => requirePkce,
    pages: () => demand(given.pages, 'the pages of routes()'),
    sessions: () => demand(given.sessions, 'useSessions()'),
  })

  return {
    ...shared,

    routes({ pages }) {
      if (given.sessions === undefined) throw new TypeError('routes() comes after useSessions()')
      given.pages = pages
      useErrorPage(pages.error)
      return mount(rows, { page: pages.error, checkCsrf: pages.checkCsrf })
    },

    // Secrets of providers: connectors.md 3.3 (1)
    guard: createGuard({ access, log, reservedTypes: [`${namespace}.account_types`] }),

    useSessions(sessions) {
      if (given.sessions !== undefined) throw new TypeError('useSessions() is called once')
      given.sessions = sessions
    },

    authenticate,
    authenticateToken: access.authenticateToken,
    rows,
    clients: clientService,
    moves: createMoves({
      ...{ log, namespace, apps, forbidden, engine, clientAddress, emit: emitter.emit },
      ...{ findClient: clients.find, markAllowed: clientService.markAllowed },
    }),
    appTokens: createAppTokens({ keyring, clock, lifetimeMs: lifetimes.accessTokenMs }),
    konnectorTokens,
    apps,
    on: emitter.on,

    async start() {
      await platform.start()
      await cleanup.start(revoker)
    },

    async close() {
      await linkedInstalls.idle()
      await cleanup.stop()
      await engine.close()
      await platform.close()
    },
  }
}

function tooMany(bucket: string, retryAfterS: number): OAuthError {
  const headers = { 'Retry-After': String(retryAfterS) }
  return new OAuthError('too_many_requests', { headers, detail: `over the limit of ${bucket}` })
}

function demand<Value>(value: Value | undefined, source: string): Value {
  if (value === undefined) throw new TypeError(`${source} has to be given before requests come`)
  return value
}
