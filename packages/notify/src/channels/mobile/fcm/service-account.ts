import { createPrivateKey, type KeyObject } from 'node:crypto'
import { compiledSchema } from '@svc/platform'

/** Credentials of a Google project, as their console gives them. */
export interface ServiceAccount {
  readonly projectId: string
  readonly clientEmail: string
  readonly privateKeyId: string
  readonly privateKey: KeyObject
  /** Where access tokens are given out. */
  readonly tokenUri: string
}

interface ServiceAccountFile {
  readonly project_id: string
  readonly client_email: string
  readonly private_key_id: string
  readonly private_key: string
  readonly token_uri?: string
}

const DEFAULT_TOKEN_URI = 'https://oauth2.googleapis.com/token'

const text = (maxLength: number): object => ({ type: 'string', minLength: 1, maxLength })

const SCHEMA = {
  type: 'object',
  required: ['project_id', 'client_email', 'private_key_id', 'private_key'],
  properties: {
    project_id: { type: 'string', pattern: '^[A-Za-z0-9:.-]{1,100}$' },
    client_email: text(320),
    private_key_id: text(200),
    private_key: text(16_384),
    token_uri: text(2048),
  },
}

/** Reads credentials; undefined when they cannot be used. @see notifications.md 16.3 */
export function parseServiceAccount(value: unknown): ServiceAccount | undefined {
  const check = compiledSchema<ServiceAccountFile>(SCHEMA)
  if (!check(value)) return undefined
  const privateKey = parseRsaKey(value.private_key)
  const tokenUri = value.token_uri ?? DEFAULT_TOKEN_URI
  if (privateKey === undefined || !URL.canParse(tokenUri)) return undefined
  return {
    projectId: value.project_id,
    clientEmail: value.client_email,
    privateKeyId: value.private_key_id,
    privateKey,
    tokenUri,
  }
}

function parseRsaKey(pem: string): KeyObject | undefined {
  try {
    const key = createPrivateKey(pem)
    const bits = key.asymmetricKeyDetails?.modulusLength ?? 0
    return key.asymmetricKeyType === 'rsa' && bits >= 2048 ? key : undefined
  } catch {
    return undefined
  }
}
