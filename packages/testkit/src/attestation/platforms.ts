import { webcrypto } from 'node:crypto'
import { systemClock } from '@svc/store'
import {
  generateKeys,
  type IssuedCertificate,
  issueCertificate,
  type KeyAlgorithm,
  type KeyPair,
} from './certificate.ts'

/** Android app of the made attestations. */
export const APK_PACKAGE_NAME = 'org.example.flagship'
/** SHA-256 of the certificate that signed it, standard base64 with both characters base64url writes otherwise. */
export const APK_CERTIFICATE_DIGEST: string = Buffer.alloc(32, 0xfb).toString('base64')
/** Apple app of the made attestations. */
export const APPLE_APP_ID = 'TEAM123456.org.example.flagship'

/** A root and one authority below it. */
export interface Authority {
  readonly root: IssuedCertificate
  readonly intermediate: IssuedCertificate
}

/** Google and Apple, as far as they vouch for apps: their keys, and what a server has to be told to trust them. */
export interface AttestationPlatforms {
  /** Time the certificates were made for. Milliseconds since the epoch. */
  readonly now: number
  readonly google: Authority
  /** RSA, for the certificate of `attest.android.com`. */
  readonly safetyNetKeys: KeyPair
  readonly playIntegrity: {
    /** AES-256. */
    readonly decryptionKey: Uint8Array
    /** P-256. */
    readonly keys: KeyPair
  }
  readonly apple: Authority
  /** The `flagship` options that trust all of them, and the one app. */
  readonly flagship: {
    readonly apkPackageNames: readonly string[]
    readonly apkCertificateDigests: readonly string[]
    readonly playIntegrityDecryptionKeys: readonly string[]
    readonly playIntegrityVerificationKeys: readonly string[]
    readonly appleAppIds: readonly string[]
    readonly trustRoots: { readonly apple: readonly string[]; readonly google: readonly string[] }
  }
}

/**
 * Makes the platforms: some 200 ms of key generation, so share them between tests.
 * @param now when everything is valid; milliseconds since the epoch, the machine's clock unless given
 */
export async function makePlatforms(
  now: number = systemClock.now(),
): Promise<AttestationPlatforms> {
  const google = await makeAuthority('Google', 'P-256', now)
  const apple = await makeAuthority('Apple', 'P-384', now)
  const playIntegrity = {
    decryptionKey: webcrypto.getRandomValues(new Uint8Array(32)),
    keys: await generateKeys('P-256'),
  }
  const spki = await webcrypto.subtle.exportKey('spki', playIntegrity.keys.publicKey)
  return {
    now,
    google,
    safetyNetKeys: await generateKeys('RSA'),
    playIntegrity,
    apple,
    flagship: {
      apkPackageNames: [APK_PACKAGE_NAME],
      apkCertificateDigests: [APK_CERTIFICATE_DIGEST],
      playIntegrityDecryptionKeys: [base64(playIntegrity.decryptionKey)],
      playIntegrityVerificationKeys: [base64(new Uint8Array(spki))],
      appleAppIds: [APPLE_APP_ID],
      trustRoots: { apple: [apple.root.pem], google: [google.root.pem] },
    },
  }
}

/** A new root with one authority below it. */
export async function makeAuthority(
  name: string,
  algorithm: KeyAlgorithm,
  now: number,
): Promise<Authority> {
  const root = await issueCertificate({
    subject: `CN=${name} Test Root`,
    keys: await generateKeys(algorithm),
    now,
    isAuthority: true,
  })
  const intermediate = await issueCertificate(
    {
      subject: `CN=${name} Test Authority`,
      keys: await generateKeys('P-256'),
      now,
      isAuthority: true,
      pathLength: 0,
    },
    root,
  )
  return { root, intermediate }
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64')
}
