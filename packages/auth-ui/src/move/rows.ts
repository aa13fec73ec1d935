import type { RouteRow } from '@svc/platform'
import type { MoveHandlers } from './move.ts'

/** Fields of `POST /auth/authorize/move`, for the documents. */
const MOVE_SCHEMA: Readonly<Record<string, unknown>> = {
  type: 'object',
  properties: {
    client_id: { type: 'string' },
    csrf_token: { type: 'string', description: 'of the page' },
    passphrase: { type: 'string', description: 'the login value' },
    redirect: { type: 'string', description: 'another name of redirect_uri' },
    redirect_uri: { type: 'string', description: 'byte for byte one of the client' },
    state: { type: 'string' },
    'two-factor-passcode': { type: 'string', description: 'with the token of an earlier answer' },
    'two-factor-token': { type: 'string' },
  },
  required: ['client_id', 'csrf_token', 'passphrase', 'redirect_uri', 'state'],
}

/** `/auth/authorize/move`. */
export function moveRows(move: MoveHandlers): readonly RouteRow[] {
  return [
    {
      method: 'GET',
      path: '/auth/authorize/move',
      handler: move.show,
      auth: ['none'],
      statuses: [200, 400, 412],
      family: 'html',
      summary: 'Shows the form in which the owner lets another server take the data over.',
      source: 'oauth.md 5.10',
    },
    {
      method: 'POST',
      path: '/auth/authorize/move',
      handler: move.submit,
      auth: ['passphrase'],
      // A request without any body still meets the CSRF rule first.
      body: { types: ['form'], optional: true, schema: MOVE_SCHEMA },
      csrf: 'token',
      statuses: [200, 400, 401, 403, 412, 413, 415, 429],
      family: 'json',
      limit: 'auth',
      summary: 'Answers where the browser brings the code for exports and imports.',
      source: 'oauth.md 5.10, decision D34',
    },
  ]
}
