import { bodySchema, type BodySchema } from '@svc/platform'

const TEXT = { type: 'string', maxLength: 1024 } as const
/** A body that is absent or `null` has no members. */
const OBJECT = ['object', 'null'] as const

const CONFIRMATION = {
  confirmation_code: { ...TEXT, description: 'of /auth/confirm, at most 5 minutes old' },
  confirmation_state: { ...TEXT, description: 'the state that was confirmed' },
} as const

/** What comes with every change of a factor. */
export interface ConfirmedBody {
  readonly confirmation_code?: string
  readonly confirmation_state?: string
}

/** A change that needs nothing else. */
export const CONFIRMED_SCHEMA: BodySchema<ConfirmedBody | null> = bodySchema({
  type: OBJECT,
  properties: CONFIRMATION,
})

/** `PUT /settings/factors/mail`. */
export interface MailFactorBody extends ConfirmedBody {
  readonly code?: string
}

export const MAIL_FACTOR_SCHEMA: BodySchema<MailFactorBody | null> = bodySchema({
  type: OBJECT,
  properties: { ...CONFIRMATION, code: { ...TEXT, description: 'mailed when it is absent' } },
})

/** `DELETE /settings/factors/mail`: clients send what they send to switch it on. */
export const REMOVE_MAIL_SCHEMA: BodySchema<MailFactorBody | null> = bodySchema({
  type: OBJECT,
  properties: { ...CONFIRMATION, code: { ...TEXT, description: 'not used' } },
})

/** `PUT /settings/factors/totp`: one of the two. */
export interface TotpBody {
  readonly code?: string
  readonly kept?: true
}

export const TOTP_SCHEMA: BodySchema<TotpBody | null> = bodySchema({
  type: OBJECT,
  properties: {
    code: { ...TEXT, description: 'of the authenticator app' },
    kept: {
      type: 'boolean',
      enum: [true],
      description: 'the owner has kept the recovery codes that answered the code',
    },
  },
})

/** `PUT /settings/instance/auth_mode`. */
export interface AuthModeBody {
  readonly auth_mode: string
  readonly passphrase?: string
  readonly two_factor_activation_code?: string
  readonly two_factor_token?: string
  readonly two_factor_passcode?: string
  readonly two_factor_code?: string
}

export const AUTH_MODE_SCHEMA: BodySchema<AuthModeBody> = bodySchema({
  type: 'object',
  properties: {
    auth_mode: { type: 'string', description: 'basic or two_factor_mail' },
    passphrase: { type: 'string', description: 'the derived login value, base64' },
    two_factor_activation_code: TEXT,
    two_factor_token: TEXT,
    two_factor_passcode: TEXT,
    two_factor_code: { ...TEXT, description: 'another name of two_factor_passcode' },
  },
  required: ['auth_mode'],
})
