import { createHash, webcrypto } from 'node:crypto'
import { Encoder } from 'cbor-x/encode'
import {
  type CertificateRecipe,
  generateKeys,
  type IssuedCertificate,
  issueCertificate,
  type KeyPair,
} from './certificate.ts'
import { APPLE_APP_ID, type AttestationPlatforms } from './platforms.ts'

const NONCE_EXTENSION = '1.2.840.113635.100.8.2'

/** What to make otherwise than Apple would. */
export interface AppAttestOverrides {
  readonly challenge: string
  /** When it is made. Milliseconds since the epoch. @defaultValue that of the platforms */
  readonly now?: number
  /** `TEAMID.bundle`. @defaultValue that of the platforms */
  readonly appId?: string
  /** All 16 bytes. @defaultValue those of production */
  readonly aaguid?: Buffer
  /** @defaultValue `0` */
  readonly counter?: number
  /** @defaultValue `0x40` */
  readonly flags?: number
  /** @defaultValue the SHA-256 of the key */
  readonly credentialId?: Buffer
  /** The length that `authData` states. @defaultValue that of the credential id */
  readonly credentialIdLength?: number
  /** After the credential id. @defaultValue the COSE key */
  readonly tail?: Buffer
  /** All of `authData`, before the nonce is made of it. */
  readonly authData?: (authData: Buffer) => Buffer
  /** DER of the extension with the nonce; `null` leaves it out. */
  readonly nonce?: ((nonce: Buffer) => Buffer) | null
  /** What is in the leaf. */
  readonly leaf?: Partial<CertificateRecipe>
  /** Who issues the leaf. @defaultValue Apple's intermediate */
  readonly issuer?: IssuedCertificate
  /** The list of certificates. @defaultValue leaf and intermediate */
  readonly x5c?: (leaf: IssuedCertificate) => readonly IssuedCertificate[]
  /** The object; what it returns is encoded. */
  readonly object?: (object: AppAttestObject) => unknown
}

export interface AppAttestObject {
  readonly fmt: string
  readonly attStmt: { readonly x5c: readonly Buffer[]; readonly receipt: Buffer }
  readonly authData: Buffer
}

export interface MadeAppAttest {
  /** Standard base64. */
  readonly attestation: string
  readonly challenge: string
  /** Standard base64. */
  readonly keyId: string
}

/** Makes an App Attest object: a key, its certificate and chain, and what they were made for. */
export async function makeAppAttest(
  platforms: AttestationPlatforms,
  overrides: AppAttestOverrides,
): Promise<MadeAppAttest> {
  const { challenge, now = platforms.now, nonce: nonceOf = nonceExtension } = overrides
  const keys = overrides.leaf?.keys ?? (await generateKeys('P-256'))
  const point = await publicPoint(keys)
  const keyId = sha256(point)
  const made = makeAuthData(overrides, keyId, point)
  const authData = overrides.authData?.(made) ?? made
  const nonce = sha256(authData, sha256(Buffer.from(challenge)))
  const { intermediate } = platforms.apple
  const leaf = await issueCertificate(
    {
      subject: `CN=${keyId.toString('hex')}`,
      keys,
      now,
      extensions: nonceOf === null ? [] : [{ oid: NONCE_EXTENSION, value: nonceOf(nonce) }],
      ...overrides.leaf,
    },
    overrides.issuer ?? intermediate,
  )
  const x5c = overrides.x5c?.(leaf) ?? [leaf, intermediate]
  const object: AppAttestObject = {
    fmt: 'apple-appattest',
    attStmt: { x5c: x5c.map(({ der }) => der), receipt: Buffer.alloc(24, 0x5a) },
    authData,
  }
  return {
    attestation: encodeCbor(overrides.object?.(object) ?? object).toString('base64'),
    challenge,
    keyId: keyId.toString('base64'),
  }
}

/** CBOR as devices write it: lists, maps and strings of definite length, no tags. */
export function encodeCbor(value: unknown): Buffer {
  const encoder = new Encoder({ useRecords: false, variableMapSize: true, tagUint8Array: false })
  return Buffer.from(encoder.encode(value))
}

/** The key of an attested credential, as a COSE map. */
export function coseKey(point: Buffer): Buffer {
  const entries: readonly (readonly [number, number | Buffer])[] = [
    [1, 2],
    [3, -7],
    [-1, 1],
    [-2, point.subarray(1, 33)],
    [-3, point.subarray(33)],
  ]
  return encodeCbor(new Map(entries))
}

function makeAuthData(overrides: AppAttestOverrides, keyId: Buffer, point: Buffer): Buffer {
  const { appId = APPLE_APP_ID, counter = 0, credentialId = keyId, flags = 0x40 } = overrides
  const { aaguid = Buffer.from('appattest\0\0\0\0\0\0\0'), tail = coseKey(point) } = overrides
  const numbers = Buffer.alloc(5)
  numbers.writeUInt8(flags)
  numbers.writeUInt32BE(counter, 1)
  const length = Buffer.alloc(2)
  length.writeUInt16BE(overrides.credentialIdLength ?? credentialId.length)
  return Buffer.concat([sha256(Buffer.from(appId)), numbers, aaguid, length, credentialId, tail])
}

function nonceExtension(nonce: Buffer): Buffer {
  return Buffer.concat([Buffer.from('3024a1220420', 'hex'), nonce])
}

async function publicPoint(keys: KeyPair): Promise<Buffer> {
  return Buffer.from(await webcrypto.subtle.exportKey('raw', keys.publicKey))
}

function sha256(...parts: readonly Buffer[]): Buffer {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest()
}
