import type { SmsProvider } from '@svc/notify'
import type { ConfigGroup } from './entry.ts'

const URL_TEXT = { type: 'string', pattern: '^https?://\\S+$' } as const
const OFF = { type: 'string', defaultText: 'off' } as const

/** One gateway of texts, as the file names it for a context. @see notifications.md 10.1 */
const SMS_PROVIDER_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  required: ['provider', 'url', 'token'],
  properties: {
    provider: { enum: ['api_sen', 'http'] },
    url: { type: 'string', maxLength: 2048 },
    token: { type: 'string', minLength: 1, maxLength: 4096 },
    fields: {
      type: 'object',
      additionalProperties: false,
      properties: {
        content: { type: 'string', minLength: 1, maxLength: 100 },
        receiver: { type: 'string', minLength: 1, maxLength: 100 },
      },
    },
    maxLength: { type: 'integer', minimum: 10, maximum: 2000 },
    overflow: { enum: ['truncate', 'fallback', 'split'] },
  },
} as const

/** How pushes and texts reach owners; what is not set is off. @see notifications.md 16.3, 18 */
export const NOTIFICATION_ENTRIES: ConfigGroup = {
  fcmCredentialsFile: {
    ...OFF,
    description: 'FCM: JSON file of the service account that pushes go out with.',
  },
  fcmEndpoint: {
    ...URL_TEXT,
    defaultText: '`https://fcm.googleapis.com`',
    description: 'FCM: origin of its API.',
  },
  iosCertificateKeyPath: {
    ...OFF,
    description: 'APNs: the `.p8` key, or the `.p12` or `.pem` certificate.',
  },
  iosCertificatePassword: {
    type: 'string',
    isSecret: true,
    description: 'APNs: password of that file.',
  },
  iosKeyId: { type: 'string', description: 'APNs: id of the `.p8` key.' },
  iosTeamId: { type: 'string', description: 'APNs: team of the `.p8` key.' },
  iosTopic: { type: 'string', description: 'APNs: bundle id of the app; needed with a `.p8` key.' },
  development: { type: 'boolean', default: false, description: "APNs: use the vendor's sandbox." },
  apnsHost: { ...URL_TEXT, defaultText: "the vendor's", description: 'APNs: origin of its API.' },
  apnsCa: { type: 'string', description: 'APNs: PEM file of the authority of that origin.' },
  huaweiGetToken: { ...URL_TEXT, description: 'Huawei: answers `{"accessToken"}` to a GET.' },
  huaweiClientId: { type: 'string', description: 'Huawei: instead of that address, the client.' },
  huaweiClientSecret: { type: 'string', isSecret: true, description: 'Huawei: its secret.' },
  huaweiTokenUrl: {
    ...URL_TEXT,
    defaultText: "the vendor's",
    description: 'Huawei: where the client gets its token.',
  },
  huaweiSendMessage: { ...URL_TEXT, defaultText: 'off', description: 'Huawei: takes the pushes.' },
  vapidPublicKey: {
    type: 'string',
    defaultText: 'when `NODE_ENV` is not `production`, made once and kept in the store; else off',
    description: 'Web push: public key of the server, an uncompressed P-256 point, base64url.',
  },
  vapidPrivateKey: { type: 'string', isSecret: true, description: 'Web push: its private half.' },
  vapidSubject: {
    type: 'string',
    pattern: '^(mailto:|https://)\\S+$',
    description: 'Web push: `mailto:` or `https:` of the operator, with a public host.',
  },
  trustedNetworks: {
    type: 'string',
    pattern: '^[0-9A-Fa-f.:/]+(,[0-9A-Fa-f.:/]+)*$',
    defaultText: 'none: public addresses only',
    description: 'Web push: CIDRs, separated by commas, that endpoints may lie in besides.',
  },
  smsProvider: {
    type: 'string',
    enum: ['api_sen', 'http'],
    default: 'api_sen',
    description: 'Texts: kind of the gateway.',
  },
  smsUrl: { ...URL_TEXT, defaultText: 'off', description: 'Texts: takes them.' },
  smsToken: { type: 'string', isSecret: true, description: 'Texts: bearer token of the gateway.' },
  smsContentField: {
    type: 'string',
    defaultText: '`content`',
    description: 'Texts: name of the text in the body of `http`.',
  },
  smsReceiverField: {
    type: 'string',
    defaultText: '`receiver`',
    description: 'Texts: name of the number there.',
  },
  smsMaxLength: {
    type: 'integer',
    minimum: 10,
    maximum: 2000,
    default: 160,
    description: 'Texts: longest one, characters.',
  },
  smsOverflow: {
    type: 'string',
    enum: ['truncate', 'fallback', 'split'],
    default: 'truncate',
    description: 'Texts: what happens to longer ones; `fallback` takes the next channel.',
  },
  contexts: {
    type: 'json',
    schema: {
      type: 'object',
      maxProperties: 100,
      propertyNames: { pattern: '^[^/]{1,100}$' },
      additionalProperties: SMS_PROVIDER_SCHEMA,
    },
    isSecret: true,
    defaultText: 'all instances have the same gateway',
    description:
      'Texts: other gateways for the instances of a context, by its name: `{ provider, url, token, fields, maxLength, overflow }`.',
  },
}

/** The values of {@link NOTIFICATION_ENTRIES}. */
export interface NotificationValues {
  readonly fcmCredentialsFile?: string
  readonly fcmEndpoint?: string
  readonly iosCertificateKeyPath?: string
  readonly iosCertificatePassword?: string
  readonly iosKeyId?: string
  readonly iosTeamId?: string
  readonly iosTopic?: string
  readonly development: boolean
  readonly apnsHost?: string
  readonly apnsCa?: string
  readonly huaweiGetToken?: string
  readonly huaweiClientId?: string
  readonly huaweiClientSecret?: string
  readonly huaweiTokenUrl?: string
  readonly huaweiSendMessage?: string
  readonly vapidPublicKey?: string
  readonly vapidPrivateKey?: string
  readonly vapidSubject?: string
  readonly trustedNetworks?: string
  readonly smsProvider: 'api_sen' | 'http'
  readonly smsUrl?: string
  readonly smsToken?: string
  readonly smsContentField?: string
  readonly smsReceiverField?: string
  readonly smsMaxLength: number
  readonly smsOverflow: 'truncate' | 'fallback' | 'split'
  readonly contexts?: Readonly<Record<string, SmsProvider>>
}
