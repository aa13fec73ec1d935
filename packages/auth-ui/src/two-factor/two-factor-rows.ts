import type { RouteRow } from '@svc/platform'
import { RESEND_SCHEMA, TWO_FACTOR_SCHEMA } from './two-factor.schema.ts'
import type { TwoFactorHandlers } from './two-factor.ts'

/** The second step in a browser. */
export function twoFactorRows(handlers: TwoFactorHandlers): readonly RouteRow[] {
  return [
    {
      method: 'GET',
      path: '/auth/twofactor',
      handler: handlers.show,
      auth: ['code', 'session cookie'],
      statuses: [200, 302, 400, 412],
      family: 'html',
      summary: 'Shows the form of the second step, or sends a browser that passed it on.',
      source: 'login.md 5.1',
    },
    {
      method: 'POST',
      path: '/auth/twofactor',
      handler: handlers.submit,
      auth: ['code', 'session cookie'],
      body: { types: ['form'], schema: TWO_FACTOR_SCHEMA },
      statuses: [200, 302, 400, 401, 403, 412, 413, 415, 429],
      family: 'html',
      csrf: 'origin',
      limit: 'two-factor',
      summary: 'Takes the code of the second step, then does what the first one asked for.',
      source: 'login.md 5.1',
    },
    {
      method: 'POST',
      path: '/auth/twofactor/resend',
      handler: handlers.resend,
      auth: ['code'],
      body: { types: ['form'], schema: RESEND_SCHEMA },
      statuses: [200, 400, 401, 403, 412, 413, 415, 429],
      family: 'html',
      csrf: 'origin',
      limit: 'two-factor-generation',
      summary: 'Mails another passcode, under another token.',
      source: 'login.md 5.1',
    },
  ]
}
