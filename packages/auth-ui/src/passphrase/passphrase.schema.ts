import { bodySchema, type BodySchema } from '@svc/platform'

/** Texts of {@link CHANGE_PASSPHRASE_SCHEMA}. */
type ChangeText =
  | 'current_passphrase'
  | 'hint'
  | 'key'
  | 'new_passphrase'
  | 'private_key'
  | 'privateKey'
  | 'public_key'
  | 'publicKey'
  | 'two_factor_passcode'
  | 'two_factor_token'

/** Body of `PUT /settings/passphrase`. */
export type ChangeBody = { readonly [Name in ChangeText]?: string } & {
  readonly force?: boolean
  readonly iterations?: number
}

/** Body of `POST /settings/passphrase/check`. */
export interface CheckBody {
  readonly passphrase: string
}

/** Body of `PUT /settings/hint`. */
export interface HintBody {
  readonly hint: string
}

/** Body of `POST /settings/passphrase`; a form carries texts. */
export interface OnboardingBody {
  readonly hint?: string
  readonly iterations?: string | number
  readonly key?: string
  readonly passphrase?: string
  readonly private_key?: string
  readonly public_key?: string
  readonly redirection?: string
  readonly register_token?: string
}

const KEY = { type: 'string', description: 'opaque; at most 8 KiB' }

/** Body of `PUT /settings/passphrase`. Lengths are judged in bytes. @see login.md 7 */
export const CHANGE_PASSPHRASE_SCHEMA: BodySchema<ChangeBody> = bodySchema({
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
})

/** Body of `POST /settings/passphrase/check`. */
export const CHECK_PASSPHRASE_SCHEMA: BodySchema<CheckBody> = bodySchema({
  type: 'object',
  properties: { passphrase: { type: 'string', description: 'derived' } },
  required: ['passphrase'],
})

/** Body of `PUT /settings/hint`. */
export const HINT_SCHEMA: BodySchema<HintBody> = bodySchema({
  type: 'object',
  properties: { hint: { type: 'string', description: 'at most 512 bytes; empty: none' } },
  required: ['hint'],
})

/** Body of `POST /settings/passphrase`; a form carries the same names as texts. @see login.md 5.5 */
export const NEW_PASSPHRASE_SCHEMA: BodySchema<OnboardingBody> = bodySchema({
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
})
