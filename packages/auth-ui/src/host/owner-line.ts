import { compiledSchema, type NewInstance } from '@svc/platform'
import { ALGORITHMS, MAX_PASSKEYS } from '../factors/passkeys.ts'
import { base32Bytes } from '../factors/totp.ts'
import type { AuthUiServices } from '../services.ts'
import {
  type ImportedPassphrase,
  ImportedPassphraseFault,
  readImported,
} from './imported-passphrase.ts'

/** An owner who comes from elsewhere: a line of an import. Unknown members are faults. */
export interface OwnerLine {
  /** What the host calls the owner: 1 to 255 printable characters, unique in the store. It makes a repeat harmless. */
  readonly externalId: string
  /** Of the instance to be. */
  readonly domain: string
  readonly email: string
  readonly publicName?: string
  /** BCP 47 tag. @defaultValue `en` */
  readonly locale?: string
  /** Absent: the owner gets an onboarding link, in the result. */
  readonly passphrase?: ImportedPassphrase
  /** RFC 6238 with SHA-1, 6 digits, 30 seconds, as authenticator apps have it. */
  readonly totp?: {
    /** Base32 of 16 to 64 bytes (RFC 4226 section 4, R6). */
    readonly secret: string
    readonly digits?: 6
    readonly period?: 30
    readonly algorithm?: 'SHA1'
  }
  /** At most 20. They answer the second step after the passphrase. */
  readonly passkeys?: readonly PasskeyLine[]
}

/** A WebAuthn credential that another program registered. */
export interface PasskeyLine {
  /** Credential id, base64url. */
  readonly id: string
  /** COSE key (RFC 9052) of ES256, EdDSA or RS256, base64url. */
  readonly publicKey: string
  /** The last signature counter. */
  readonly counter: number
  /** The relying party that it was made for: the host name of `domain`, else browsers do not offer it there. */
  readonly rpId: string
  /** What the owner calls it. @defaultValue empty */
  readonly label?: string
  /** As `getTransports()` answered. */
  readonly transports?: readonly string[]
  /** What the other program called the owner, base64url. Absent: any is taken. */
  readonly userHandle?: string
}

/** A fault of a line. */
export interface OwnerLineFault {
  /** From 1. */
  readonly line: number
  /** Such as `passkeys[0].rpId`; empty: the whole line. */
  readonly path: string
  /** Goes on after the path; nothing of the line is quoted but names. */
  readonly problem: string
}

const TEXT = { type: 'string', minLength: 1, maxLength: 1024 } as const
const BASE64URL = { type: 'string', pattern: '^[A-Za-z0-9_-]{1,4096}$' } as const

const LINE_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  required: ['externalId', 'domain', 'email'],
  properties: {
    externalId: TEXT,
    domain: TEXT,
    email: TEXT,
    publicName: { type: 'string', maxLength: 1024 },
    locale: TEXT,
    passphrase: {
      type: 'object',
      additionalProperties: false,
      required: ['over', 'hash'],
      properties: {
        over: { enum: ['login-value', 'passphrase'] },
        hash: TEXT,
        salt: TEXT,
        iterations: { type: 'integer' },
        hint: { type: 'string' },
      },
    },
    totp: {
      type: 'object',
      additionalProperties: false,
      required: ['secret'],
      properties: {
        secret: TEXT,
        digits: { const: 6 },
        period: { const: 30 },
        algorithm: { const: 'SHA1' },
      },
    },
    passkeys: {
      type: 'array',
      maxItems: MAX_PASSKEYS,
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['id', 'publicKey', 'counter', 'rpId'],
        properties: {
          id: BASE64URL,
          publicKey: BASE64URL,
          counter: { type: 'integer', minimum: 0, maximum: 0xffff_ffff },
          rpId: TEXT,
          label: { type: 'string', maxLength: 64 },
          transports: { type: 'array', maxItems: 8, items: TEXT },
          userHandle: BASE64URL,
        },
      },
    },
  },
} as const

type Fault = Omit<OwnerLineFault, 'line'>

/** What stands in a line: its value, or the faults of its shape. */
export function readLine(
  given: unknown,
): { readonly line: OwnerLine } | { readonly faults: Fault[] } {
  let value = given
  if (typeof given === 'string') {
    try {
      value = JSON.parse(given)
    } catch {
      return { faults: [{ path: '', problem: 'is no JSON' }] }
    }
  }
  const check = compiledSchema<OwnerLine>(LINE_SCHEMA, { allErrors: true })
  if (check(value)) return { line: value }
  return {
    faults: (check.errors ?? []).map(({ instancePath, params, message = 'is malformed' }) => {
      const { additionalProperty, missingProperty } = params as Record<string, string | undefined> // as Ajv has them
      const path = pathOf(instancePath, additionalProperty ?? missingProperty)
      if (additionalProperty !== undefined) return { path, problem: 'is unknown' }
      return { path, problem: missingProperty === undefined ? message : 'is missing' }
    }),
  }
}

/** What is wrong with a line that has the right shape. The store is not asked. */
export async function faultsOf(
  services: Pick<AuthUiServices, 'options'>,
  { domain, passphrase, totp, passkeys = [] }: OwnerLine,
): Promise<readonly Fault[]> {
  const faults: Fault[] = []
  const fault = (path: string, problem: string): void => {
    faults.push({ path, problem })
  }
  if (passphrase !== undefined) {
    try {
      readImported(services, { domain }, passphrase)
    } catch (error) {
      if (!(error instanceof ImportedPassphraseFault)) throw error
      fault(`passphrase.${error.member}`, error.problem)
    }
  }
  const bytes = totp && (base32Bytes(totp.secret)?.length ?? 0)
  if (bytes !== undefined && (bytes < 16 || bytes > 64)) {
    fault('totp.secret', 'must be base32 of 16 to 64 bytes')
  }
  const host = domain.replace(/:\d+$/, '').toLowerCase()
  for (const [at, { rpId, publicKey, id }] of passkeys.entries()) {
    if (rpId !== host) {
      fault(`passkeys[${at}].rpId`, 'is another relying party than the new domain')
    }
    if (!(await isCoseKey(publicKey))) {
      fault(`passkeys[${at}].publicKey`, 'must be a COSE key of ES256, EdDSA or RS256')
    }
    if (passkeys.findIndex((other) => other.id === id) !== at) {
      fault(`passkeys[${at}].id`, 'is there twice')
    }
  }
  return faults
}

/** The instance of a line. */
export function instanceOf({
  externalId,
  domain,
  email,
  publicName,
  locale,
}: OwnerLine): NewInstance {
  return {
    externalId,
    domain,
    email,
    ...(publicName !== undefined && { publicName }),
    ...(locale !== undefined && { locale }),
  }
}

async function isCoseKey(text: string): Promise<boolean> {
  const { cose, decodeCredentialPublicKey } = await import('@simplewebauthn/server/helpers')
  try {
    const key = decodeCredentialPublicKey(new Uint8Array(Buffer.from(text, 'base64url')))
    return ALGORITHMS.includes(Number(key.get(cose.COSEKEYS.alg)))
  } catch {
    return false
  }
}

/** `/passkeys/0/rpId` is `passkeys[0].rpId`. */
function pathOf(pointer: string, member: string | undefined): string {
  const parts = [...pointer.split('/').slice(1), ...(member === undefined ? [] : [member])]
  return parts
    .map((part) => (/^\d+$/.test(part) ? `[${part}]` : `.${part}`))
    .join('')
    .replace(/^\./, '')
}
