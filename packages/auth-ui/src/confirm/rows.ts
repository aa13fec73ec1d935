import type { RouteRow } from '@svc/platform'
import type { ConfirmHandlers } from './confirm.ts'
import { CONFIRM_SCHEMA } from './confirm.schema.ts'

/** `/auth/confirm`. */
export function confirmRows(confirm: ConfirmHandlers): readonly RouteRow[] {
  return [
    {
      method: 'GET',
      path: '/auth/confirm',
      handler: confirm.show,
      auth: ['none'],
      statuses: [200, 400, 412],
      family: 'html',
      summary: 'Shows the form in which the owner confirms with the passphrase.',
      source: 'login.md 6.1',
    },
    {
      method: 'POST',
      path: '/auth/confirm',
      handler: confirm.submit,
      auth: ['passphrase'],
      body: { types: ['form'], schema: CONFIRM_SCHEMA },
      statuses: [200, 302, 400, 401, 403, 412, 413, 415, 429],
      family: 'html',
      csrf: 'origin',
      limit: 'auth',
      summary: 'Confirms, tells the app that asked, and leads back to it with a code.',
      source: 'login.md 6.2',
    },
    {
      method: 'GET',
      path: '/auth/confirm/:code',
      handler: confirm.check,
      auth: ['code'],
      statuses: [204, 400, 401, 412, 429],
      family: 'json',
      limit: 'confirm-code',
      summary: 'Tells whether a code of a confirmation is good; uses nothing up.',
      source: 'login.md 6.3',
    },
  ]
}
