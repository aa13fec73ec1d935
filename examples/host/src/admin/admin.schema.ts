import { compiledSchema } from '@svc/platform'
import { AdminError } from './admin-error.ts'
import { ADMIN_SCOPES } from './admin-scopes.ts'

/** The bodies of the admin API. */
export type AdminBody =
  | 'appToken'
  | 'accountFields'
  | 'certifyClient'
  | 'createBackup'
  | 'createInstance'
  | 'createNamedToken'
  | 'exportInstance'
  | 'importAccount'
  | 'importKey'
  | 'installApp'
  | 'installKonnector'
  | 'keepDocument'
  | 'oauthToken'
  | 'refreshAccount'
  | 'reseal'
  | 'resetPassphrase'
  | 'rotateKeys'
  | 'runChecks'
  | 'sendNotification'
  | 'unfreezeInstance'
  | 'updateInstance'

const TEXT = { type: 'string', minLength: 1, maxLength: 1000 } as const
const PASSPHRASE = { type: 'string', minLength: 1, maxLength: 1024 } as const
const TOKEN = { type: 'string', minLength: 1, maxLength: 16_384 } as const
/** A recipient or an identity; those that withstand quantum computers are long. */
const AGE_TEXT = { type: 'string', minLength: 1, maxLength: 4000 } as const
const CLEARABLE = { anyOf: [TEXT, { type: 'null' }] } as const
const LOCALE = { type: 'string', pattern: '^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$' } as const

/** Records a second. */
const RATE = { type: 'integer', minimum: 1, maximum: 10_000 } as const

/** Of the members of which a body has one. */
function has(member: string): object {
  return { type: 'object', required: [member], properties: { [member]: true } }
}

export const ADMIN_BODIES: Readonly<Record<AdminBody, object>> = {
  createBackup: {
    type: 'object',
    additionalProperties: false,
    required: ['file'],
    properties: { file: { type: 'string', minLength: 1, maxLength: 4096 } },
  },
  createInstance: {
    type: 'object',
    additionalProperties: false,
    required: ['domain'],
    properties: {
      domain: TEXT,
      aliases: { type: 'array', items: TEXT, maxItems: 20 },
      context: TEXT,
      email: TEXT,
      locale: LOCALE,
      magic_link: { type: 'boolean' },
      passphrase: PASSPHRASE,
      publicName: TEXT,
      timeZone: TEXT,
    },
  },
  runChecks: {
    type: 'object',
    additionalProperties: false,
    properties: {
      domain: TEXT,
      offline: { type: 'boolean' },
      servers: { type: 'array', items: TEXT, maxItems: 10 },
    },
  },
  updateInstance: {
    type: 'object',
    additionalProperties: false,
    properties: {
      aliases: { type: 'array', items: TEXT, maxItems: 20 },
      auth_mode: { enum: ['basic', 'two_factor_mail'] },
      blocked: { type: 'boolean' },
      context: CLEARABLE,
      diskQuota: { anyOf: [{ type: 'integer', minimum: 0 }, { type: 'null' }] },
      email: CLEARABLE,
      locale: LOCALE,
      magic_link: { type: 'boolean' },
      oauthClientsMax: { type: 'integer', minimum: -1, maximum: 1_000_000 },
      phone: CLEARABLE,
      publicName: CLEARABLE,
      timeZone: CLEARABLE,
    },
  },
  installApp: {
    type: 'object',
    additionalProperties: false,
    required: ['app'],
    properties: { app: TEXT },
  },
  appToken: {
    type: 'object',
    additionalProperties: false,
    required: ['slug'],
    properties: { slug: TEXT },
  },
  keepDocument: {
    type: 'object',
    additionalProperties: false,
    required: ['text'],
    properties: { text: { type: 'string', maxLength: 32_768 } },
  },
  accountFields: {
    type: 'object',
    additionalProperties: false,
    properties: { account: TEXT },
  },
  importAccount: {
    type: 'object',
    additionalProperties: false,
    required: ['account_type', 'refresh_token'],
    properties: {
      account_type: TEXT,
      refresh_token: TOKEN,
      access_token: TOKEN,
      expires_at: { type: 'string', minLength: 1, maxLength: 40 },
      name: TEXT,
      scope: { type: 'string', maxLength: 4096 },
    },
  },
  refreshAccount: {
    type: 'object',
    additionalProperties: false,
    properties: { force: { type: 'boolean' } },
  },
  certifyClient: {
    type: 'object',
    additionalProperties: false,
    properties: { withdraw: { type: 'boolean' } },
  },
  installKonnector: {
    type: 'object',
    additionalProperties: false,
    required: ['slug'],
    properties: { slug: TEXT },
  },
  oauthToken: {
    type: 'object',
    additionalProperties: false,
    required: ['scope'],
    properties: { scope: { type: 'string', minLength: 1, maxLength: 4096 } },
  },
  resetPassphrase: {
    type: 'object',
    additionalProperties: false,
    properties: { passphrase: PASSPHRASE },
  },
  sendNotification: {
    type: 'object',
    additionalProperties: false,
    required: ['notification'],
    properties: {
      notification: {
        type: 'object',
        additionalProperties: false,
        required: ['title'],
        properties: {
          category: { type: 'string' },
          category_id: { type: 'string' },
          title: { type: 'string' },
          message: { type: 'string' },
          priority: { type: 'string' },
          state: { type: ['string', 'boolean', 'number'] },
          preferred_channels: { type: 'array', items: { type: 'string' } },
          data: { type: 'object' },
          slug: TEXT,
          at: { type: 'string' },
        },
      },
      properties: { type: 'object' },
    },
  },
  createNamedToken: {
    type: 'object',
    additionalProperties: false,
    required: ['name', 'only', 'until'],
    properties: {
      name: { type: 'string', pattern: '^[a-z0-9][a-z0-9-]{0,39}$' },
      only: { type: 'array', items: { enum: ADMIN_SCOPES }, minItems: 1, uniqueItems: true },
      until: { type: 'string', maxLength: 40 },
    },
  },
  exportInstance: {
    type: 'object',
    additionalProperties: false,
    properties: {
      recipients: { type: 'array', items: AGE_TEXT, minItems: 1, maxItems: 20 },
      passphrase: PASSPHRASE,
      move: { type: 'boolean' },
    },
    oneOf: [has('recipients'), has('passphrase')],
  },
  importKey: {
    type: 'object',
    additionalProperties: false,
    properties: {
      identities: { type: 'array', items: AGE_TEXT, minItems: 1, maxItems: 20 },
      passphrase: PASSPHRASE,
    },
    oneOf: [has('identities'), has('passphrase')],
  },
  unfreezeInstance: {
    type: 'object',
    additionalProperties: false,
    properties: { force: { type: 'boolean' } },
  },
  rotateKeys: {
    type: 'object',
    additionalProperties: false,
    properties: {
      revoke: { type: 'boolean' },
      sessions: { type: 'boolean' },
      links: { type: 'boolean' },
      rate: RATE,
    },
  },
  reseal: {
    type: 'object',
    additionalProperties: false,
    properties: { rate: RATE },
  },
}

/** @throws AdminError `invalid_request` with every fault of the body */
export function checkBody(name: AdminBody, body: unknown): Record<string, unknown> {
  const isValid = compiledSchema(ADMIN_BODIES[name], { allErrors: true, allowUnionTypes: true })
  if (isValid(body)) return body as Record<string, unknown> // Every schema is of an object.
  const faults = (isValid.errors ?? []).map(({ instancePath, message }) =>
    `${instancePath.slice(1)} ${message ?? 'is malformed'}`.trim(),
  )
  throw new AdminError('invalid_request', 400, faults.join('; '))
}
