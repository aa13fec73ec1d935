const CSRF = { type: 'string', description: 'of the page' }
const CHECKED_CSRF = { type: 'string', description: 'of the page; verified when present' }
const REDIRECT = { type: 'string', description: 'where the login leads afterwards' }
const FROM = { type: 'string', description: '`settings`: back to the settings app' }

/** Fields of `POST /auth/passphrase_reset`. @see login.md 5.5 */
export const RESET_SCHEMA: Readonly<Record<string, unknown>> = {
  type: 'object',
  properties: { csrf_token: CSRF, from: FROM, redirect: REDIRECT },
  required: ['csrf_token'],
}

/** Fields of `POST /auth/passphrase_renew`. @see login.md 5.5 */
export const RENEW_SCHEMA: Readonly<Record<string, unknown>> = {
  type: 'object',
  properties: {
    csrf_token: CSRF,
    from: FROM,
    hint: { type: 'string', description: 'at most 512 bytes; absent: none' },
    iterations: {
      type: 'string',
      description: '50 000 to 5 000 000; absent or 0: the passphrase is raw',
    },
    key: { type: 'string', description: 'vault key, opaque; at most 8 KiB' },
    passphrase: {
      type: 'string',
      description: '1 to 1024 bytes; derived when iterations are given',
    },
    passphrase_reset_token: { type: 'string', description: 'of the mailed link' },
    private_key: { type: 'string', description: 'only together with public_key; at most 8 KiB' },
    public_key: { type: 'string', description: 'only together with private_key; at most 8 KiB' },
  },
  required: ['csrf_token'],
}

/** Fields of `POST /auth/hint`. */
export const HINT_FORM_SCHEMA: Readonly<Record<string, unknown>> = {
  type: 'object',
  properties: { csrf_token: CHECKED_CSRF, redirect: REDIRECT },
}

/** Fields of `POST /auth/onboarding/resend`. */
export const RESEND_SCHEMA: Readonly<Record<string, unknown>> = {
  type: 'object',
  properties: { csrf_token: CHECKED_CSRF },
}
