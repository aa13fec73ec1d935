import type { RouteRow } from '@svc/platform'
import type { PasskeyPage } from './passkey-page.ts'

/** Fields of `POST /auth/passkey`, for the documents. */
const PASSKEY_SCHEMA: Readonly<Record<string, unknown>> = {
  type: 'object',
  properties: {
    confirmation_code: { type: 'string', description: 'of /auth/confirm, at most 5 minutes old' },
    confirmation_state: { type: 'string', description: 'the state that was confirmed' },
    credential: { type: 'string', description: 'RegistrationResponseJSON' },
    csrf_token: { type: 'string', description: 'of the page' },
    label: { type: 'string', description: "the owner's name for the passkey" },
  },
  required: ['confirmation_code', 'confirmation_state', 'credential', 'csrf_token'],
}

/** `/auth/passkey`. */
export function passkeyRows(page: PasskeyPage): readonly RouteRow[] {
  return [
    {
      method: 'GET',
      path: '/auth/passkey',
      handler: page.show,
      auth: ['session cookie'],
      statuses: [200, 302, 400, 409],
      family: 'html',
      summary: 'Shows the page on which the browser makes a passkey.',
      source: 'decision D63',
    },
    {
      method: 'POST',
      path: '/auth/passkey',
      handler: page.submit,
      auth: ['session cookie'],
      body: { types: ['form'], schema: PASSKEY_SCHEMA },
      statuses: [200, 302, 400, 403, 409, 413, 415, 422],
      family: 'html',
      csrf: 'token',
      summary: 'Adds the passkey that the browser made.',
      source: 'decision D63',
    },
  ]
}
