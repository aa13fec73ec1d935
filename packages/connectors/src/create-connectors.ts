import { claiming, createEmitter, createRateLimits, versionedStore } from '@svc/platform'
import { createAccountTypes } from './account-types/account-type-store.ts'
import { secretsForConnector } from './account-types/secrets.ts'
import { sealAuth } from './accounts/legacy-auth.ts'
import { AutoRefresh } from './accounts/auto-refresh.ts'
import { BY_SERVER, byAccess } from './accounts/account-activity.ts'
import { viewAccount } from './accounts/account-view.ts'
import { fieldsForConnector } from './accounts/connector-fields.ts'
import { deleteAsOperator, noteDeleted } from './accounts/delete-account.ts'
import { importAccount } from './accounts/import-account.ts'
import { refreshAsOperator } from './accounts/refresh-account.ts'
import { ConnectorError } from './connector-error.ts'
import type { Connectors } from './connectors.ts'
import { answerCallbackHost } from './flow/callback-host.ts'
import { forgetStates } from './flow/flow-store.ts'
import { isOAuthAvailable } from './flow/usable-type.ts'
import { type ConnectorsOptions, type ResolvedOptions, resolveOptions } from './options.ts'
import type { ConnectorEvents } from './ports.ts'
import { connectorsRecords } from './records.ts'
import { bindConnectorsRoutes, mountConnectors } from './routes.ts'
import type { ConnectorsServices } from './services.ts'
import { createIssuers } from './token-client/discovery.ts'
import { readFigures } from './token-client/provider-calls.ts'

/**
 * Assembles the package. Nothing is read or written before the first request, or `start`.
 * @throws TypeError listing every fault of the options with its path
 * @example
 * const connectors = createConnectors({ oauth, sessions: ui.sessions, events: realtime })
 * app.use(connectors.callbackHost())
 * app.use(oauth.resolveInstance())
 * app.use(connectors.routes({ pages: ui.pages }))
 * await connectors.start()
 */
export function createConnectors(given: ConnectorsOptions): Connectors {
  const options = resolveOptions(given)
  const { oauth, callbackUrl, storedAccounts } = options
  const emitter = createEmitter<ConnectorEvents>(options.log)
  const services = assembleServices(options, emitter.emit)
  const routes = bindConnectorsRoutes(services)
  const callbackHost =
    callbackUrl === undefined ? undefined : answerCallbackHost(callbackUrl, services)
  const autoRefresh = new AutoRefresh(services)
  oauth.instances.onRemove(async (instance) => {
    await forgetStates(services, instance)
    await storedAccounts?.removeAll(instance, (of, account) =>
      noteDeleted(services, of, account, BY_SERVER),
    )
  })

  return {
    routes: ({ pages } = {}) => mountConnectors(oauth, routes, pages),
    callbackHost: () => callbackHost ?? claiming((_, next) => next(), { mounts: [] }),
    rows: [...routes.flow, ...routes.accounts],
    accountTypes: services.accountTypes,
    oauthAvailable: (instance, slug) => isOAuthAvailable(services, instance, slug),
    secretsForConnector: (slug, context) =>
      secretsForConnector(services.accountTypes, slug, context),
    fieldsForConnector: (instance, account) => fieldsForConnector(services, instance, account),
    view: (instance, account, viewer) => viewAccount(services, instance, account, viewer),
    importAccount: (instance, input) => importAccount(services, instance, input),
    refreshAccount: (instance, accountId, how) =>
      refreshAsOperator(services, instance, accountId, how),
    removeAccount: (instance, accountId) => deleteAsOperator(services, instance, accountId),
    accountDeleted: (instance, account, access) =>
      noteDeleted(services, instance, account, byAccess(access)),
    sealAuth: (instance, account) => sealAuth(services, instance, account),
    figures: () => readFigures(services),
    on: emitter.on,
    async start() {
      if (options.autoRefresh) await autoRefresh.start()
    },
    close: () => autoRefresh.stop(),
  }
}

function assembleServices(
  options: ResolvedOptions,
  emit: ConnectorsServices['emit'],
): ConnectorsServices {
  const { oauth, callbackUrl, log, trustedNetworks } = options
  const { clock, instances, namespace, sealer } = oauth
  const kinds = connectorsRecords(namespace)
  oauth.records.declare(kinds)
  const store = versionedStore(oauth.store, kinds, log)
  const accountTypes =
    options.accountTypes ??
    createAccountTypes({
      store,
      sealer,
      log,
      instances,
      trustedNetworks,
      ...(callbackUrl !== undefined && { callbackUrl }),
    })
  return {
    oauth,
    instances,
    namespace,
    store,
    clock,
    log,
    sealer,
    limits: createRateLimits({ store, clock, limits: options.limits, tooMany }),
    lifetimes: options.lifetimes,
    options,
    accounts: options.accounts,
    accountTypes,
    sessions: options.sessions,
    manifests: options.manifests,
    events: options.events,
    emit,
    outbound: options.outbound,
    issuers: createIssuers(),
    calls: new Map(),
    refreshes: new Map(),
    deletions: new Set(),
  }
}

function tooMany(_: string, retryAfterS: number): ConnectorError {
  return new ConnectorError('too_many_requests', { retryAfterS })
}
