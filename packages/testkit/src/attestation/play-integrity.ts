import type { webcrypto } from 'node:crypto'
import { CompactEncrypt, CompactSign } from 'jose'
import { APK_CERTIFICATE_DIGEST, APK_PACKAGE_NAME, type AttestationPlatforms } from './platforms.ts'

/** What to make otherwise than Google would. */
export interface PlayIntegrityOverrides {
  readonly challenge: string
  /** When it is made. Milliseconds since the epoch. @defaultValue that of the platforms */
  readonly now?: number
  /** Fields of the three parts of the payload; `undefined` leaves one out. */
  readonly request?: Readonly<Record<string, unknown>>
  readonly app?: Readonly<Record<string, unknown>>
  readonly device?: Readonly<Record<string, unknown>>
  /** Parts of the payload themselves; `undefined` leaves one out. */
  readonly claims?: Readonly<Record<string, unknown>>
  /** @defaultValue `{ alg: 'ES256' }` */
  readonly signature?: { readonly alg: string; readonly key: webcrypto.CryptoKey | Uint8Array }
  /** @defaultValue `{ alg: 'A256KW', enc: 'A256GCM' }` and the platform's key */
  readonly encryption?: {
    readonly alg?: string
    readonly enc?: string
    readonly key?: Uint8Array
  }
  /** What is encrypted. @defaultValue the JWS */
  readonly plaintext?: string
}

/** Makes a Play Integrity token: a JWS inside a JWE. */
export async function makePlayIntegrity(
  platforms: AttestationPlatforms,
  overrides: PlayIntegrityOverrides,
): Promise<{ readonly attestation: string; readonly challenge: string }> {
  const { challenge, now = platforms.now } = overrides
  const { decryptionKey, keys } = platforms.playIntegrity
  const claims = {
    requestDetails: {
      requestPackageName: APK_PACKAGE_NAME,
      timestampMillis: String(now),
      nonce: challenge,
      ...overrides.request,
    },
    appIntegrity: {
      appRecognitionVerdict: 'PLAY_RECOGNIZED',
      packageName: APK_PACKAGE_NAME,
      certificateSha256Digest: [
        Buffer.from(APK_CERTIFICATE_DIGEST, 'base64').toString('base64url'),
      ],
      versionCode: '42',
      ...overrides.app,
    },
    deviceIntegrity: {
      deviceRecognitionVerdict: ['MEETS_DEVICE_INTEGRITY'],
      ...overrides.device,
    },
    accountDetails: { appLicensingVerdict: 'LICENSED' },
    ...overrides.claims,
  }
  const { alg, key } = overrides.signature ?? { alg: 'ES256', key: keys.privateKey }
  const jws =
    overrides.plaintext ??
    (await new CompactSign(Buffer.from(JSON.stringify(claims)))
      .setProtectedHeader({ alg })
      .sign(key))
  const encryption = { alg: 'A256KW', enc: 'A256GCM', key: decryptionKey, ...overrides.encryption }
  const attestation = await new CompactEncrypt(Buffer.from(jws))
    .setProtectedHeader({ alg: encryption.alg, enc: encryption.enc })
    .encrypt(encryption.key)
  return { attestation, challenge }
}
