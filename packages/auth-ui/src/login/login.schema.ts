/** Fields of `POST /auth/login`. @see login.md 5.1 */
export const LOGIN_SCHEMA: Readonly<Record<string, unknown>> = {
  type: 'object',
  properties: {
    csrf_token: { type: 'string', description: 'of the page; verified when present' },
    email_verified_code: { type: 'string' },
    'long-run-session': { type: 'string', description: '1, true or on: stay connected' },
    passphrase: { type: 'string', description: 'the derived login value, base64' },
    passphrase_raw: {
      type: 'string',
      description:
        'the passphrase itself, once, of an owner whose hash was imported; ignored for everybody else',
    },
    redirect: { type: 'string', description: 'an absolute URL or slug[/path]' },
    'trusted-device-token': { type: 'string' },
  },
}
