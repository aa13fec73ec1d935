/** Body of `POST /settings/passphrase`; a form carries the same names as texts. @see login.md 5.5 */
export const NEW_PASSPHRASE_SCHEMA: Readonly<Record<string, unknown>> = {
  type: 'object',
  properties: {
    csrf_token: { type: 'string', maxLength: 64 },
    hint: { type: 'string', description: 'at most 512 bytes; absent: none' },
    iterations: {
      type: ['integer', 'string'],
      description: '50 000 to 5 000 000; absent or 0: the passphrase is raw',
    },
    key: { type: 'string', description: 'vault key, opaque; at most 8 KiB' },
    passphrase: {
      type: 'string',
      description: '1 to 1024 bytes; derived when iterations are given',
    },
    private_key: { type: 'string', description: 'only together with public_key; at most 8 KiB' },
    public_key: { type: 'string', description: 'only together with private_key; at most 8 KiB' },
    redirection: { type: 'string', description: 'slug[/path] to go to' },
    register_token: { type: 'string', description: 'of the onboarding link' },
  },
}
