import type { RouteHandler, RouteRow } from '@svc/platform'
import { LOGIN_SCHEMA } from './login/login.schema.ts'
import type { LoginHandlers } from './login/login.ts'
import type { LogoutHandlers } from './login/logout.ts'
import { NEW_PASSPHRASE_SCHEMA } from './passphrase/new-passphrase.schema.ts'
import type { OnboardingHandlers } from './passphrase/onboarding.ts'

/** What the rows are made of. */
export interface Handlers {
  readonly home: RouteHandler
  readonly login: LoginHandlers
  readonly logout: LogoutHandlers
  readonly onboarding: OnboardingHandlers
  readonly prelogin: RouteHandler
}

/** Every endpoint of this package, sorted by path. */
export function createRows(handlers: Handlers): readonly RouteRow[] {
  return createAuthRows(handlers)
}

function createAuthRows(handlers: Handlers): readonly RouteRow[] {
  const { home, login, logout, onboarding, prelogin } = handlers
  return [
    {
      method: 'GET',
      path: '/',
      handler: home,
      auth: ['none', 'session cookie'],
      statuses: [200, 302, 400, 412, 429],
      family: 'html',
      limit: 'register-guess',
      summary: 'Leads to onboarding, to the log-in, or home.',
      source: 'login.md 5.1',
    },
    {
      method: 'GET',
      path: '/auth/login',
      handler: login.show,
      auth: ['none', 'session cookie'],
      statuses: [200, 302, 400, 412],
      family: 'html',
      summary: 'Shows the log-in form, or sends a logged-in browser on.',
      source: 'login.md 5.1',
    },
    {
      method: 'POST',
      path: '/auth/login',
      handler: login.submit,
      auth: ['passphrase'],
      body: { types: ['form'], schema: LOGIN_SCHEMA },
      statuses: [200, 302, 400, 401, 403, 412, 413, 415, 429],
      family: 'html',
      csrf: 'origin',
      limit: 'auth',
      summary: 'Logs the owner in.',
      source: 'login.md 5.1',
    },
    {
      method: 'DELETE',
      path: '/auth/login',
      handler: logout.logout,
      auth: ['app token', 'session cookie'],
      statuses: [204, 400, 401],
      family: 'json',
      cors: 'app-origins',
      summary: 'Ends the session.',
      source: 'login.md 5.2',
    },
    {
      method: 'DELETE',
      path: '/auth/login/others',
      handler: logout.logoutOthers,
      auth: ['app token', 'session cookie'],
      statuses: [204, 400, 401],
      family: 'json',
      cors: 'app-origins',
      summary: 'Ends every session but this one.',
      source: 'login.md 5.2',
    },
    {
      method: 'GET',
      path: '/auth/passphrase',
      handler: onboarding.show,
      auth: ['code'],
      statuses: [200, 302, 400, 412, 429],
      family: 'html',
      limit: 'register-guess',
      summary: 'Shows the form in which a new owner chooses a passphrase.',
      source: 'login.md 5.5',
    },
    {
      method: 'GET',
      path: '/public/prelogin',
      handler: prelogin,
      auth: ['none'],
      statuses: [200, 400, 412],
      family: 'json',
      summary: 'Tells an app how to derive the login value.',
      source: 'login.md 7',
    },
    {
      method: 'POST',
      path: '/settings/passphrase',
      handler: onboarding.submit,
      auth: ['code'],
      body: { types: ['form', 'json'], schema: NEW_PASSPHRASE_SCHEMA },
      statuses: [200, 302, 400, 403, 413, 415, 422, 429],
      family: 'html',
      csrf: 'origin',
      limit: 'register-guess',
      summary: 'Onboards: stores the first passphrase and opens a long session.',
      source: 'login.md 5.5',
    },
  ]
}
