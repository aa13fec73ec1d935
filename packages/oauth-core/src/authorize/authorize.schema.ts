import { bodySchema, type BodySchema } from '@svc/platform'
import { CONSENT_DURATIONS } from './consent-choice.ts'

// Everything in a form is text. Its rules are those of the query, with answers that are pages: `checks.ts`.

const text = (description: string) => ({ type: 'string', description })

/** What a client asked for, as the page got it. */
const REQUEST = {
  client_id: text('of the client that asks'),
  code_challenge: text('RFC 7636, with `S256`'),
  code_challenge_method: text('`S256`'),
  redirect_uri: text('one of the client'),
  response_type: text('`code`'),
  scope: text('rules, separated by spaces'),
  state: text('given back to the client'),
}

/** Form of `POST /auth/authorize`; the page fills all of it in. @see oauth.md 5.3, decision D42 */
export const authorizeSchema: BodySchema = bodySchema({
  type: 'object',
  properties: {
    csrf_token: text('of the page'),
    ...REQUEST,
    choice: text('`1`: single permissions were ticked'),
    consent: text('what the page asked for, sealed'),
    duration: text(CONSENT_DURATIONS.map((one) => `\`${one}\``).join(', ')),
  },
  patternProperties: {
    '^permission-\\d+$': text('there: the permission of this place in `scope` was ticked'),
  },
})

/** Form of `POST /auth/authorize/sharing`; the page fills all of it in. @see oauth.md 5.9 */
export const sharingSchema: BodySchema = bodySchema({
  type: 'object',
  properties: {
    csrf_token: text('of the page'),
    ...REQUEST,
    sharing_id: text('what the owner was invited to'),
  },
})
