import { bodySchema, type BodySchema } from '@svc/platform'
import type { ConfirmedBody } from '../settings/factors.schema.ts'

const CONFIRMATION = {
  confirmation_code: {
    type: 'string',
    maxLength: 1024,
    description: 'of /auth/confirm, at most 5 minutes old',
  },
  confirmation_state: {
    type: 'string',
    maxLength: 1024,
    description: 'the state that was confirmed',
  },
} as const

/** `PATCH /settings/profile`; what is absent stays. */
export interface ProfileBody {
  readonly public_name?: string
  readonly locale?: string
  readonly time_zone?: string
  readonly rev?: string
}

export const PROFILE_SCHEMA: BodySchema<ProfileBody> = bodySchema({
  type: 'object',
  additionalProperties: false,
  properties: {
    public_name: { type: 'string', maxLength: 1024, description: '1 to 100 characters' },
    locale: { type: 'string', maxLength: 64, description: 'one of `locales`' },
    time_zone: { type: 'string', maxLength: 64, description: 'IANA name, such as Europe/Paris' },
    rev: {
      type: 'string',
      maxLength: 64,
      description: '`meta.rev` as read; an old one is refused',
    },
  },
})

/** `PUT /settings/profile/email`. */
export interface EmailBody extends ConfirmedBody {
  readonly email: string
  readonly old_mailbox_lost?: boolean
}

export const EMAIL_SCHEMA: BodySchema<EmailBody> = bodySchema({
  type: 'object',
  additionalProperties: false,
  properties: {
    ...CONFIRMATION,
    email: { type: 'string', maxLength: 1024, description: 'one plain address' },
    old_mailbox_lost: {
      type: 'boolean',
      description:
        'the present address cannot take the change back; takes a confirmation with an authenticator app, a passkey or a recovery code that was there 72 hours before',
    },
  },
  required: ['email'],
})

/** `PUT /settings/profile/phone`: the number, then the code that was sent to it. */
export interface PhoneBody extends ConfirmedBody {
  readonly phone?: string
  readonly code?: string
}

export const PHONE_SCHEMA: BodySchema<PhoneBody> = bodySchema({
  type: 'object',
  additionalProperties: false,
  properties: {
    ...CONFIRMATION,
    phone: {
      type: 'string',
      maxLength: 1024,
      description: 'international, such as +33 6 12 34 56 78; gets a text with a code',
    },
    code: { type: 'string', maxLength: 64, description: 'six digits of that text' },
  },
})

/** `PUT /settings/magic_link`. */
export interface MagicLinkBody extends ConfirmedBody {
  readonly enabled: boolean
}

export const MAGIC_LINK_SCHEMA: BodySchema<MagicLinkBody> = bodySchema({
  type: 'object',
  additionalProperties: false,
  properties: {
    ...CONFIRMATION,
    enabled: { type: 'boolean', description: 'whether a mailed link logs in' },
  },
  required: ['enabled'],
})

/** Fields of the two pages that a mail leads to. */
export const EMAIL_TOKEN_SCHEMA: Readonly<Record<string, unknown>> = {
  type: 'object',
  properties: {
    csrf_token: { type: 'string', description: 'of the page' },
    token: { type: 'string', description: 'of the mailed link' },
  },
  required: ['csrf_token'],
}
