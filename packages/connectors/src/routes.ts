import type { OAuth } from '@svc/oauth-core'
import {
  bindRoutes,
  claimingAs,
  defineRoute,
  type HttpError,
  provedInHandler,
  type Route,
  type RouteRow,
} from '@svc/platform'
import type { Context, Middleware } from 'koa'
import { handleDelete, handleRefresh, requireToken } from './accounts/account-endpoints.ts'
import { handleComplete, handleRedirect } from './flow/callback.ts'
import { handleReconnect, handleStart } from './flow/start.ts'
import type { ConnectorPages } from './ports.ts'
import type { ConnectorsServices } from './services.ts'

/** A look at one of these addresses must use nothing up: neither HEAD nor a browser that looks ahead. */
const PAGE = { method: 'GET', family: 'html-jsonapi', refusesHead: true } as const

const START = {
  ...PAGE,
  auth: provedInHandler(['session cookie', 'code'], 'flow/start.ts'),
  statuses: [204, 302, 400, 403, 404, 429, 502],
  limit: [{ bucket: 'account-start', inRule: 'counts the starts of an owner who is logged in' }],
} as const

const ANSWER = {
  ...PAGE,
  auth: provedInHandler(['code'], 'flow/callback.ts'),
  statuses: [204, 302, 400, 404, 429],
  limit: [{ bucket: 'account-redirect', inRule: 'by address, counts unknown states and tickets' }],
  activity: ['account.connected', 'account.reconnected'],
} as const

const ACCOUNT = { auth: requireToken, cors: 'app-origins', family: 'jsonapi' } as const

/** Endpoints that browsers go to, in the order of their paths. @see connectors.md 4 */
export const flowRoutes: readonly Route<ConnectorsServices>[] = [
  defineRoute({
    ...START,
    path: '/accounts/:accountType/:accountId/reconnect',
    handler: handleReconnect,
    summary: 'Sends the owner to a provider, to connect an account again.',
    source: 'connectors.md 4.7',
  }),
  defineRoute({
    ...ANSWER,
    path: '/accounts/:accountType/complete',
    handler: handleComplete,
    summary: 'Goes on with an answer that came to the callback host.',
    source: 'connectors.md 4.4',
  }),
  defineRoute({
    ...ANSWER,
    path: '/accounts/:accountType/redirect',
    handler: handleRedirect,
    summary:
      "Takes a provider's answer and sends the owner back to the app. Also on the callback host.",
    source: 'connectors.md 4.2',
  }),
  defineRoute({
    ...START,
    path: '/accounts/:accountType/start',
    grows: true,
    handler: handleStart,
    summary: 'Sends the owner to a provider, to connect a new account.',
    source: 'connectors.md 4.1',
  }),
]

/** Endpoints of accounts that exist, in the order of their paths. @see connectors.md 4.8, 4.9 */
export const accountRoutes: readonly Route<ConnectorsServices>[] = [
  defineRoute({
    ...ACCOUNT,
    method: 'DELETE',
    path: '/accounts/:accountType/:accountId',
    handler: handleDelete,
    activity: 'account.removed',
    statuses: [204, 400, 401, 403, 404],
    summary: 'Takes an account back at its provider, as far as that listens, and deletes it.',
    source: 'connectors.md 4.9',
  }),
  defineRoute({
    ...ACCOUNT,
    method: 'POST',
    path: '/accounts/:accountType/:accountId/refresh',
    handler: handleRefresh,
    activity: 'account.failing',
    statuses: [200, 400, 401, 403, 404, 422, 429, 502, 504],
    limit: [
      { bucket: 'account-refresh', inRule: 'by account, counts those the token may refresh' },
    ],
    summary: 'Replaces the tokens of an account by fresh ones of its provider, for all who wait.',
    source: 'connectors.md 4.8',
  }),
]

/** The package's routes with its services, as they are mounted. */
export interface BoundRoutes {
  readonly flow: readonly RouteRow[]
  readonly accounts: readonly RouteRow[]
}

export function bindConnectorsRoutes(services: ConnectorsServices): BoundRoutes {
  return {
    flow: bindRoutes(flowRoutes, services),
    accounts: bindRoutes(accountRoutes, services),
  }
}

/**
 * One middleware for the endpoints of the package.
 * @param pages - undefined: errors are JSON:API for everybody
 */
export function mountConnectors(
  oauth: Pick<OAuth, 'mount'>,
  { flow, accounts }: BoundRoutes,
  pages: ConnectorPages | undefined,
): Middleware {
  const page = pages && {
    async page(ctx: Context, error: HttpError): Promise<void> {
      await pages.error(ctx, error)
      // D55: a connection goes on in a pop-up, whose app has to find its opener.
      ctx.set('Cross-Origin-Opener-Policy', 'unsafe-none')
    },
  }
  // In this order, so that `start` is no account's id: other methods are 405 there.
  const first = oauth.mount(flow, { ...page, demandsActivity: true })
  const second = oauth.mount(accounts, { demandsActivity: true })

  const connectorRoutes: Middleware = function connectorRoutes(ctx, next) {
    let isOurs = true
    // Whose a path is is known before anything is waited for, and what is not ours waits for nothing here.
    const answered = first(ctx, () =>
      second(ctx, () => {
        isOurs = false
        return next()
      }),
    )
    if (!isOurs) return answered
    // SPEC: connectors.md 4 - addresses here hold codes and tickets; pages set a rule of their own.
    return answered.then(() => ctx.set('Referrer-Policy', 'no-referrer'))
  }
  return claimingAs(connectorRoutes, [first, second])
}
