import { bodySchema, type BodySchema } from '@svc/platform'

// Everything in a form is text. What is mandatory is asked by the endpoints themselves, once the client is known: that
// it is unknown comes first (oauth.md 6.2).

const CREDENTIALS = {
  client_id: { type: 'string', description: 'unless `Authorization` has it' },
  client_secret: { type: 'string', description: 'unless `Authorization` has it' },
}

/** Form of `POST /auth/access_token`. @see oauth.md 6 */
export const tokenSchema: BodySchema = bodySchema({
  type: 'object',
  properties: {
    grant_type: {
      type: 'string',
      description: 'mandatory: `authorization_code` or `refresh_token`',
    },
    ...CREDENTIALS,
    code: { type: 'string', description: 'the authorization code' },
    code_verifier: { type: 'string', description: 'when the request had a `code_challenge`' },
    redirect_uri: { type: 'string', description: 'compared when it is there' },
    refresh_token: { type: 'string' },
  },
})

/** Form of `POST /auth/revoke`. @see RFC 7009 */
export const revokeSchema: BodySchema = bodySchema({
  type: 'object',
  properties: {
    ...CREDENTIALS,
    token: { type: 'string', description: 'mandatory: an access token or a refresh token' },
    token_type_hint: { type: 'string', description: 'not needed' },
  },
})
