import { CompactSign } from 'jose'
import { type CertificateRecipe, type IssuedCertificate, issueCertificate } from './certificate.ts'
import { APK_CERTIFICATE_DIGEST, APK_PACKAGE_NAME, type AttestationPlatforms } from './platforms.ts'

/** What to make otherwise than Google would. */
export interface SafetyNetOverrides {
  readonly challenge: string
  /** When it is made. Milliseconds since the epoch. @defaultValue that of the platforms */
  readonly now?: number
  /** Fields of the payload; `undefined` leaves one out. */
  readonly claims?: Readonly<Record<string, unknown>>
  /** Fields of the protected header; `undefined` leaves one out. */
  readonly header?: Readonly<Record<string, unknown>>
  /** What is in the leaf. */
  readonly leaf?: Partial<CertificateRecipe>
  /** The list of certificates. @defaultValue leaf and intermediate */
  readonly x5c?: (leaf: IssuedCertificate) => readonly IssuedCertificate[]
  /** Who issues the leaf. @defaultValue Google's intermediate */
  readonly issuer?: IssuedCertificate
  /** Whose key signs. @defaultValue the leaf's */
  readonly signer?: IssuedCertificate
}

/** Makes a SafetyNet attestation: a JWS with its chain. */
export async function makeSafetyNet(
  platforms: AttestationPlatforms,
  overrides: SafetyNetOverrides,
): Promise<{ readonly attestation: string; readonly challenge: string }> {
  const { challenge, now = platforms.now } = overrides
  const { intermediate } = platforms.google
  const leaf = await issueCertificate(
    {
      subject: 'CN=attest.android.com',
      keys: platforms.safetyNetKeys,
      now,
      dnsNames: ['attest.android.com'],
      purposes: ['1.3.6.1.5.5.7.3.1'],
      ...overrides.leaf,
    },
    overrides.issuer ?? intermediate,
  )
  const x5c = overrides.x5c?.(leaf) ?? [leaf, intermediate]
  const claims = {
    nonce: challenge,
    timestampMs: now,
    apkPackageName: APK_PACKAGE_NAME,
    apkCertificateDigestSha256: [APK_CERTIFICATE_DIGEST],
    ctsProfileMatch: true,
    basicIntegrity: true,
    ...overrides.claims,
  }
  const header = {
    alg: 'RS256',
    x5c: x5c.map(({ der }) => der.toString('base64')),
    ...overrides.header,
  }
  const attestation = await new CompactSign(Buffer.from(JSON.stringify(claims)))
    .setProtectedHeader(header)
    .sign((overrides.signer ?? leaf).keys.privateKey)
  return { attestation, challenge }
}
