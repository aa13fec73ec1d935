import type { RouteRow } from '@svc/platform'
import type { CallbackHandlers } from './callback.ts'
import { ignorePrefetch } from './flow-requests.ts'
import type { StartHandlers } from './start.ts'

/** Endpoints that browsers go to. @see connectors.md 4 */
export function flowRows(start: StartHandlers, callback: CallbackHandlers): readonly RouteRow[] {
  // A look at one of these addresses must use nothing up: neither HEAD nor a browser that looks ahead.
  const page = {
    method: 'GET',
    family: 'html-jsonapi',
    refusesHead: true,
    use: [ignorePrefetch],
  } as const
  const begin = {
    ...page,
    auth: ['session cookie', 'code'],
    statuses: [204, 302, 400, 403, 404, 429, 502],
    limit: 'account-start',
  } as const
  const answer = {
    ...page,
    auth: ['code'],
    statuses: [204, 302, 400, 404, 429],
    limit: 'account-redirect',
  } as const
  return [
    {
      ...begin,
      path: '/accounts/:accountType/start',
      handler: start.start,
      summary: 'Sends the owner to a provider, to connect a new account.',
      source: 'connectors.md 4.1',
    },
    {
      ...begin,
      path: '/accounts/:accountType/:accountId/reconnect',
      handler: start.reconnect,
      summary: 'Sends the owner to a provider, to connect an account again.',
      source: 'connectors.md 4.7',
    },
    {
      ...answer,
      path: '/accounts/:accountType/redirect',
      handler: callback.redirect,
      summary:
        "Takes a provider's answer and sends the owner back to the app. Also on the callback host.",
      source: 'connectors.md 4.2',
    },
    {
      ...answer,
      path: '/accounts/:accountType/complete',
      handler: callback.complete,
      summary: 'Goes on with an answer that came to the callback host.',
      source: 'connectors.md 4.4',
    },
  ]
}
