import type { Engine } from '../engine/engine.ts'
import type { RouteRow } from '@svc/platform'
import { tokenSchema } from './token.schema.ts'

/** `POST /auth/access_token`. @see oauth.md 6 */
export function tokenRow(engine: Pick<Engine, 'token'>): RouteRow {
  return {
    method: 'POST',
    path: '/auth/access_token',
    handler: (ctx) => engine.token(ctx, ctx.state.instance),
    auth: ['client secret', 'code'],
    body: {
      types: ['form'],
      wrongType: { status: 400, code: 'invalid_request' },
      schema: tokenSchema,
    },
    statuses: [200, 400, 401, 413, 415],
    family: 'oauth',
    limit: 'token',
    summary: 'Exchanges an authorization code or a refresh token for tokens.',
    source: 'oauth.md 6; RFC 6749 4.1.3, 6',
  }
}
