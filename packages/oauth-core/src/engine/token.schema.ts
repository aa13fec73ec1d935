import { type BodySchema, describedSchema } from '@svc/platform'

const CREDENTIALS = {
  client_id: { type: 'string', description: 'unless `Authorization` has it' },
  client_secret: { type: 'string', description: 'unless `Authorization` has it' },
  client_assertion: { type: 'string', description: 'of a client with keys (RFC 7523)' },
  client_assertion_type: { type: 'string', description: 'of the assertion' },
}

/** Form of `POST /auth/access_token`. @see oauth.md 6 */
export const tokenSchema: BodySchema = describedSchema({
  type: 'object',
  properties: {
    grant_type: { type: 'string', enum: ['authorization_code', 'refresh_token'] },
    ...CREDENTIALS,
    code: { type: 'string', description: 'the authorization code' },
    code_verifier: { type: 'string', description: 'when the request had a `code_challenge`' },
    redirect_uri: { type: 'string', description: 'compared when it is there' },
    refresh_token: { type: 'string' },
    resource: { type: 'string', description: 'compared when it is there (RFC 8707)' },
  },
  required: ['grant_type'],
})

/** Form of `POST /auth/revoke`. @see RFC 7009 */
export const revokeSchema: BodySchema = describedSchema({
  type: 'object',
  properties: {
    ...CREDENTIALS,
    token: { type: 'string', description: 'an access token or a refresh token' },
    token_type_hint: { type: 'string', description: 'not needed' },
  },
  required: ['token'],
})
