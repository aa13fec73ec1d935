import { type BodySchema, describedSchema } from '@svc/platform'
import { CONSENT_DURATIONS } from './consent-durations.ts'

type JsonSchema = Readonly<Record<string, unknown>>

const text = (description: string): JsonSchema => ({ type: 'string', description })

/** What a client asked for, as the page got it. */
const REQUEST: JsonSchema = {
  client_id: text('of the client that asks'),
  code_challenge: text('RFC 7636, with `S256`'),
  code_challenge_method: { type: 'string', enum: ['S256'] },
  redirect_uri: text('one of the client'),
  response_type: { type: 'string', enum: ['code'] },
  resource: text('what the tokens are for (RFC 8707); absent: the interface itself'),
  scope: text('rules, separated by spaces'),
  state: text('given back to the client'),
}

/** Absent: the posted fields stand for themselves (D42, D103). */
const SEALED = text('what the page showed, sealed; when it is there, the answer must agree with it')

/** Form of `POST /auth/authorize`; the page fills all of it in. @see oauth.md 5.3, decision D42 */
export const authorizeSchema: BodySchema = describedSchema({
  type: 'object',
  properties: {
    csrf_token: text('of the page'),
    ...REQUEST,
    choice: {
      type: 'string',
      enum: ['1', '2'],
      description: '`1`: whole permissions were ticked; `2`: single rights of them',
    },
    answer: {
      type: 'string',
      enum: ['refuse'],
      description: 'there: the owner does not allow it; of an assistant alone',
    },
    consent: SEALED,
    duration: { type: 'string', enum: [...CONSENT_DURATIONS] },
  },
  patternProperties: {
    '^permission-\\d+$': text('there: the permission of this place in `scope` was ticked'),
    '^permission-\\d+-(read|change|delete)$': text(
      'there: this right of the permission was ticked',
    ),
    '^group-[a-z]+-(read|change|delete)$': text('there: this right was ticked for the whole group'),
  },
  required: ['csrf_token', 'client_id', 'redirect_uri', 'response_type', 'scope', 'state'],
})

/** Form of `POST /auth/authorize/sharing`; the page fills all of it in. @see oauth.md 5.9 */
export const sharingSchema: BodySchema = describedSchema({
  type: 'object',
  properties: {
    csrf_token: text('of the page'),
    ...REQUEST,
    consent: SEALED,
    sharing_id: text('what the owner was invited to'),
  },
  required: ['csrf_token', 'state'],
})
