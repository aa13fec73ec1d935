import { createPrivateKey, type KeyObject } from 'node:crypto'
import { createSecureContext } from 'node:tls'
import { compiledSchema } from '@svc/platform'

/** A key that signs provider tokens (`.p8`). */
export interface ApnsTokenCredentials {
  readonly kind: 'token'
  readonly key: KeyObject
  readonly keyId: string
  readonly teamId: string
  /** Bundle id. */
  readonly topic: string
  readonly isDevelopment: boolean
}

/** A certificate with its key (`.p12`, `.pem`). */
export interface ApnsCertificate {
  readonly kind: 'certificate'
  /** Either one, as `node:tls` takes it. */
  readonly material: { readonly pfx: Buffer } | { readonly cert: Buffer; readonly key: Buffer }
  readonly passphrase?: string
  readonly topic?: string
  readonly isDevelopment: boolean
}

export type ApnsCredentials = ApnsTokenCredentials | ApnsCertificate

/** What goes with the content of a credentials file. */
export interface ApnsFileFacts {
  readonly password?: string
  readonly keyId?: string
  readonly teamId?: string
  readonly topic?: string
  readonly isDevelopment: boolean
}

/** Why a file cannot be used; no content of it. */
export type ApnsFileFault = 'malformed' | 'wrong_password' | 'unsupported_encryption' | 'incomplete'

/** Reads what a credentials file holds: a PKCS #8 key, a PEM certificate with its key, or PKCS #12. */
export function parseApnsFile(
  content: Buffer,
  facts: ApnsFileFacts,
): ApnsCredentials | { readonly fault: ApnsFileFault } {
  const head = content.toString('latin1')
  if (head.includes('-----BEGIN CERTIFICATE-----')) {
    if (!head.includes('PRIVATE KEY-----')) return { fault: 'incomplete' }
    return parseCertificate({ cert: content, key: content }, facts)
  }
  return head.includes('-----BEGIN')
    ? parseKey(content, facts)
    : parseCertificate({ pfx: content }, facts)
}

function parseKey(content: Buffer, facts: ApnsFileFacts) {
  const { keyId, teamId, topic, isDevelopment } = facts
  if (keyId === undefined || teamId === undefined || topic === undefined) {
    return { fault: 'incomplete' } as const
  }
  try {
    const key = createPrivateKey(content)
    const isP256 = key.asymmetricKeyDetails?.namedCurve === 'prime256v1'
    if (!isP256) return { fault: 'malformed' } as const
    return { kind: 'token', key, keyId, teamId, topic, isDevelopment } as const
  } catch {
    return { fault: 'malformed' } as const
  }
}

function parseCertificate(
  material: ApnsCertificate['material'],
  { password: passphrase, topic, isDevelopment }: ApnsFileFacts,
): ApnsCertificate | { readonly fault: ApnsFileFault } {
  const secret = passphrase === undefined ? {} : { passphrase }
  try {
    createSecureContext({ ...material, ...secret })
  } catch (error) {
    return { fault: faultOf(error, 'pfx' in material) }
  }
  return {
    kind: 'certificate',
    material,
    isDevelopment,
    ...secret,
    ...(topic !== undefined && { topic }),
  }
}

/** OpenSSL 3 refuses the RC2 and RC4 of old `.p12` files: worth telling from a wrong password. */
function faultOf(error: unknown, isPkcs12: boolean): ApnsFileFault {
  const text = error instanceof Error ? error.message : ''
  if (isPkcs12 && /unsupported|unknown cipher/i.test(text)) return 'unsupported_encryption'
  return /mac verify|bad decrypt|bad password|interrupted or cancelled/i.test(text)
    ? 'wrong_password'
    : 'malformed'
}

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
