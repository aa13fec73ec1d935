import { createEmitter, createRateLimits } from '@svc/platform'
import { createAccountTypes } from './account-types/account-type-store.ts'
import { secretsForConnector } from './account-types/secrets.ts'
import { createAccounts } from './accounts/create-accounts.ts'
import { ConnectorError } from './connector-error.ts'
import type { Connectors } from './connectors.ts'
import { createCallFigures } from './figures.ts'
import { assembleFlow } from './flow/assemble-flow.ts'
import { createOAuthAvailable } from './flow/availability.ts'
import { createCallbackHost } from './flow/callback-host.ts'
import { type ConnectorsOptions, resolveOptions } from './options.ts'
import type { ConnectorEvents } from './ports.ts'
import { mountRows } from './routes.ts'
import { createTokenClient } from './token-client/token-endpoint.ts'

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
  const { oauth, log, lifetimes, callbackUrl, trustedNetworks } = options
  const { store, sealer, clock, instances } = oauth
  const emitter = createEmitter<ConnectorEvents>(log)
  const limits = createRateLimits({ store, clock, limits: options.limits, tooMany })
  const accountTypes =
    options.accountTypes ??
    createAccountTypes({
      ...{ store, sealer, log, instances, trustedNetworks },
      ...(callbackUrl !== undefined && { callbackUrl }),
    })
  const figures = createCallFigures()
  const tokenClient = createTokenClient({
    ...{ outbound: options.outbound, clock, log, lifetimes, figures },
  })
  const accounts = createAccounts({
    ...options,
    ...{ accountTypes, tokenClient, limits },
    emit: emitter.emit,
  })
  const flow = assembleFlow({ options, accountTypes, tokenClient, limits, writer: accounts })
  const callbackHost =
    callbackUrl === undefined
      ? undefined
      : createCallbackHost({ callbackUrl, callback: flow.callback, log })
  instances.onRemove(async (instance) => {
    await flow.forget(instance)
    await options.storedAccounts?.removeAll(instance, accounts.accountDeleted)
  })

  return {
    routes: ({ pages } = {}) =>
      mountRows({ oauth, flow: flow.rows, accounts: accounts.rows, pages }),
    callbackHost: () => callbackHost ?? ((_, next) => next()),
    rows: [...flow.rows, ...accounts.rows],
    accountTypes,
    oauthAvailable: createOAuthAvailable({ ...options, accountTypes }),
    secretsForConnector: (slug, context) => secretsForConnector(accountTypes, slug, context),
    fieldsForConnector: accounts.fieldsForConnector,
    view: accounts.view,
    importAccount: accounts.importAccount,
    refreshAccount: accounts.refreshAccount,
    removeAccount: accounts.removeAccount,
    accountDeleted: accounts.accountDeleted,
    sealAuth: accounts.sealAuth,
    async rotateKeys() {
      const types = (await accountTypes.rotateKeys?.()) ?? 0
      return types + (await accounts.rotate())
    },
    figures: figures.read,
    on: emitter.on,
    start: accounts.start,
    close: accounts.close,
  }
}

function tooMany(_: string, retryAfterS: number): ConnectorError {
  return new ConnectorError('too_many_requests', { retryAfterS })
}
