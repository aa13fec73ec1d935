import type { RouteHandler, RouteRow } from '@svc/oauth-core'
import { FLAGSHIP_LOGIN_SCHEMA, FLAGSHIP_MAGIC_LINK_SCHEMA } from './flagship.schema.ts'

/** What the rows are made of. */
export interface FlagshipHandlers {
  readonly login: RouteHandler
  readonly magicLink: RouteHandler
}

/** The log-ins of apps without a browser. */
export function flagshipRows({ login, magicLink }: FlagshipHandlers): readonly RouteRow[] {
  return [
    {
      method: 'POST',
      path: '/auth/login/flagship',
      handler: login,
      auth: ['client secret', 'passphrase'],
      body: { types: ['json'], schema: FLAGSHIP_LOGIN_SCHEMA },
      statuses: [202, 400, 401, 403, 412, 413, 415, 429],
      family: 'json',
      limit: 'auth',
      summary: 'Logs an app in with the passphrase.',
      source: 'login.md 5.1',
    },
    {
      method: 'POST',
      path: '/auth/magic_link/flagship',
      handler: magicLink,
      auth: ['client secret', 'code'],
      body: { types: ['json'], schema: FLAGSHIP_MAGIC_LINK_SCHEMA },
      statuses: [202, 400, 401, 412, 413, 415, 429],
      family: 'json',
      limit: 'magic-link',
      summary: 'Logs an app in with a magic code.',
      source: 'login.md 5.3',
    },
  ]
}
