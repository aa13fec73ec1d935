import type { RouteRow } from '@svc/platform'
import type { SessionCodeEndpoint } from './session-code.ts'
import { SESSION_CODE_SCHEMA } from './session-code.schema.ts'

/** @param endpoint - of `createSessionCodeEndpoint` */
export function sessionCodeRows(endpoint: SessionCodeEndpoint): readonly RouteRow[] {
  return [
    {
      method: 'POST',
      path: '/auth/session_code',
      handler: endpoint.create,
      use: [endpoint.judgeBearer],
      auth: ['access token', 'passphrase'],
      body: { types: ['json'], optional: true, schema: SESSION_CODE_SCHEMA },
      statuses: [201, 400, 401, 403, 413, 415, 429],
      family: 'json',
      limit: 'session-code',
      summary: 'Makes a code that opens a session in a browser, once.',
      source: 'login.md 5.4',
    },
  ]
}
