const CSRF = { type: 'string', description: 'of the page; verified when present' } as const
const REDIRECT = { type: 'string', description: 'an absolute URL or slug[/path]' } as const
const AGAIN = {
  type: 'string',
  description: 'that of the link, or nothing; a link that named none may be given one',
} as const

/** Fields of `POST /auth/magic_link`. @see login.md 5.3 */
export const REQUEST_LINK_SCHEMA: Readonly<Record<string, unknown>> = {
  type: 'object',
  properties: { csrf_token: CSRF, redirect: REDIRECT },
}

/** Fields of `POST /auth/magic_link/open`. @see login.md 5.3 */
export const OPEN_LINK_SCHEMA: Readonly<Record<string, unknown>> = {
  type: 'object',
  properties: { code: { type: 'string' }, csrf_token: CSRF, redirect: AGAIN },
}

/** Fields of `POST /auth/magic_link/twofactor`. @see login.md 5.3 */
export const LINK_PASSPHRASE_SCHEMA: Readonly<Record<string, unknown>> = {
  type: 'object',
  properties: {
    csrf_token: CSRF,
    magic_code: { type: 'string' },
    passphrase: { type: 'string', description: 'the derived login value, base64' },
    redirect: AGAIN,
  },
}
