import { NEW_PASSPHRASE_SCHEMA } from '../passphrase/new-passphrase.schema.ts'

const CLIENT = {
  client_id: { type: 'string' },
  client_secret: { type: 'string' },
} as const

/** Body of `POST /auth/login/flagship`, for the documents. @see login.md 5.1 */
export const FLAGSHIP_LOGIN_SCHEMA: Readonly<Record<string, unknown>> = {
  type: 'object',
  properties: {
    ...CLIENT,
    email_verified_code: { type: 'string', description: 'stands for the second factor' },
    passphrase: { type: 'string', description: 'the derived login value, base64' },
    two_factor_code: { type: 'string', description: 'a code of any enrolled factor' },
    two_factor_passcode: { type: 'string', description: 'another name of two_factor_code' },
    two_factor_token: { type: 'string', description: 'of the answer that asked for it' },
  },
  required: ['passphrase', 'client_id', 'client_secret'],
}

/** Body of `POST /auth/magic_link/flagship`, for the documents. @see login.md 5.3 */
export const FLAGSHIP_MAGIC_LINK_SCHEMA: Readonly<Record<string, unknown>> = {
  type: 'object',
  properties: {
    ...CLIENT,
    magic_code: { type: 'string' },
    passphrase: { type: 'string', description: 'needed while the second factor is on' },
  },
  required: ['magic_code', 'client_id', 'client_secret'],
}

/** Body of `POST /settings/passphrase/flagship`, for the documents. @see login.md 5.5 */
export const FLAGSHIP_ONBOARDING_SCHEMA: Readonly<Record<string, unknown>> = {
  ...NEW_PASSPHRASE_SCHEMA,
  properties: { ...(NEW_PASSPHRASE_SCHEMA['properties'] as object), ...CLIENT }, // Written there.
  required: ['passphrase', 'register_token', 'iterations', 'client_id', 'client_secret'],
}
