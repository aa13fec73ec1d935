import { compiledSchema } from '@svc/platform'
import { type ApnsCredentials, parseApnsFile } from './apns-credentials.ts'

/** `apns_credentials` of an app's entry in the secrets store. @see notifications.md 16.3 */
interface ApnsEntry {
  /** PEM: a `.p8` key, or a certificate with its key. */
  readonly key?: string
  /** A `.p12` file, base64. */
  readonly pfx?: string
  readonly password?: string
  readonly key_id?: string
  readonly team_id?: string
  readonly topic?: string
  readonly development?: boolean
}

const text = (maxLength: number): object => ({ type: 'string', minLength: 1, maxLength })

const SCHEMA = {
  type: 'object',
  oneOf: [{ required: ['key'] }, { required: ['pfx'] }],
  properties: {
    key: text(65_536),
    pfx: { ...text(65_536), pattern: '^[A-Za-z0-9+/\\s]+=*\\s*$' },
    password: text(1024),
    key_id: text(64),
    team_id: text(64),
    topic: text(255),
    development: { type: 'boolean' },
  },
}

/** Reads an entry; undefined when it cannot be used. */
export function parseApnsEntry(value: unknown): ApnsCredentials | undefined {
  const check = compiledSchema<ApnsEntry>(SCHEMA, { strictRequired: false })
  if (!check(value)) return undefined
  const { key, pfx = '', password, key_id: keyId, team_id: teamId, topic } = value
  const content = key === undefined ? Buffer.from(pfx, 'base64') : Buffer.from(key)
  const read = parseApnsFile(content, {
    ...(password !== undefined && { password }),
    ...(keyId !== undefined && { keyId }),
    ...(teamId !== undefined && { teamId }),
    ...(topic !== undefined && { topic }),
    isDevelopment: value.development ?? false,
  })
  return 'fault' in read ? undefined : read
}
