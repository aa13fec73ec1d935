import type { RouteHandler, RouteRow } from '@svc/platform'
import {
  FLAGSHIP_LOGIN_SCHEMA,
  FLAGSHIP_MAGIC_LINK_SCHEMA,
  FLAGSHIP_ONBOARDING_SCHEMA,
} from './flagship.schema.ts'

/** What the rows are made of. */
export interface FlagshipHandlers {
  readonly login: RouteHandler
  readonly magicLink: RouteHandler
  readonly onboard: RouteHandler
}

/** The log-ins of apps without a browser. */
export function flagshipRows({ login, magicLink, onboard }: FlagshipHandlers): readonly RouteRow[] {
  return [
    {
      method: 'POST',
      path: '/auth/login/flagship',
      handler: login,
      auth: ['client secret', 'passphrase'],
      body: { types: ['json'], schema: FLAGSHIP_LOGIN_SCHEMA },
      statuses: [200, 202, 400, 401, 403, 412, 413, 415, 429],
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
      statuses: [200, 202, 400, 401, 412, 413, 415, 429],
      family: 'json',
      limit: 'magic-link',
      summary: 'Logs an app in with a magic code.',
      source: 'login.md 5.3',
    },
    {
      method: 'POST',
      path: '/settings/passphrase/flagship',
      handler: onboard,
      auth: ['client secret', 'code'],
      body: { types: ['json'], schema: FLAGSHIP_ONBOARDING_SCHEMA },
      statuses: [200, 202, 400, 413, 415, 422, 429],
      family: 'json',
      limit: 'register-guess',
      summary: 'Onboards from an app: stores the first passphrase and logs the app in.',
      source: 'login.md 5.5',
    },
  ]
}
