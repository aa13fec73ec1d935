/** Fields of `POST /auth/twofactor`. @see login.md 5.1 */
export const TWO_FACTOR_SCHEMA: Readonly<Record<string, unknown>> = {
  type: 'object',
  properties: {
    client_id: { type: 'string', description: 'that of step 1, or nothing' },
    confirm: { type: 'string', description: '1, true or on for a confirmation, or nothing' },
    csrf_token: { type: 'string', description: 'of the page; verified when present' },
    'long-run-session': { type: 'string', description: '1, true or on; instead of that of step 1' },
    redirect: {
      type: 'string',
      description: 'that of step 1, or nothing; a login that named none may name one',
    },
    state: { type: 'string', description: 'that of step 1, or nothing' },
    'two-factor-assertion': { type: 'string', description: 'a WebAuthn assertion, as JSON' },
    'two-factor-generate-trusted-device-token': {
      type: 'string',
      description: '1, true or on: this browser skips the second step from now on',
    },
    'two-factor-passcode': {
      type: 'string',
      description: 'mailed, of the authenticator app, or a recovery code',
    },
    'two-factor-token': { type: 'string' },
  },
}

/** Fields of `POST /auth/twofactor/resend`. @see login.md 5.1 */
export const RESEND_SCHEMA: Readonly<Record<string, unknown>> = {
  type: 'object',
  properties: {
    csrf_token: { type: 'string', description: 'of the page; verified when present' },
    'two-factor-token': { type: 'string' },
  },
}
