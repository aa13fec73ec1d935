const KEY = { type: 'string', description: 'opaque; at most 8 KiB' }

/** Body of `PUT /settings/passphrase`. Lengths are judged in bytes. @see login.md 7 */
export const CHANGE_PASSPHRASE_SCHEMA: Readonly<Record<string, unknown>> = {
  type: 'object',
  properties: {
    current_passphrase: { type: 'string', description: 'derived; not with the pair or force' },
    force: {
      type: 'boolean',
      description: 'the first passphrase of an owner who logs in by mail alone',
    },
    hint: { type: 'string', description: 'at most 512 bytes; empty: none; absent: as before' },
    iterations: {
      type: 'number',
      description: '50 000 to 5 000 000; absent or 0: the new passphrase is raw',
    },
    key: { type: 'string', description: 'vault key, opaque; at most 8 KiB; needed with a vault' },
    new_passphrase: {
      type: 'string',
      description: '1 to 1024 bytes; derived when iterations are given',
    },
    private_key: KEY,
    privateKey: KEY,
    public_key: KEY,
    publicKey: KEY,
    two_factor_passcode: { type: 'string', description: 'of the second call' },
    two_factor_token: { type: 'string', description: 'of the second call' },
  },
}

/** Body of `POST /settings/passphrase/check`. */
export const CHECK_PASSPHRASE_SCHEMA: Readonly<Record<string, unknown>> = {
  type: 'object',
  properties: { passphrase: { type: 'string', description: 'derived' } },
  required: ['passphrase'],
}

/** Body of `PUT /settings/hint`. */
export const HINT_SCHEMA: Readonly<Record<string, unknown>> = {
  type: 'object',
  properties: { hint: { type: 'string', description: 'at most 512 bytes; empty: none' } },
  required: ['hint'],
}
