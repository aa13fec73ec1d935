import 'reflect-metadata'
import { webcrypto } from 'node:crypto'
import {
  BasicConstraintsExtension,
  ExtendedKeyUsageExtension,
  Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from '@peculiar/x509'

const DAY_MS = 86_400_000
/** @see generateKeys */
export type KeyAlgorithm = 'P-256' | 'P-384' | 'RSA'
const ALGORITHMS: Readonly<
  Record<KeyAlgorithm, webcrypto.EcKeyGenParams | webcrypto.RsaHashedKeyGenParams>
> = {
  'P-256': { name: 'ECDSA', namedCurve: 'P-256' },
  'P-384': { name: 'ECDSA', namedCurve: 'P-384' },
  RSA: {
    name: 'RSASSA-PKCS1-v1_5',
    hash: 'SHA-256',
    modulusLength: 2048,
    publicExponent: new Uint8Array([1, 0, 1]),
  },
}

export type KeyPair = webcrypto.CryptoKeyPair

/** A new key pair that signs, and whose private half can be exported. */
export function generateKeys(algorithm: KeyAlgorithm): Promise<KeyPair> {
  return webcrypto.subtle.generateKey(ALGORITHMS[algorithm], true, ['sign', 'verify'])
}

/** What to put into a certificate. */
export interface CertificateRecipe {
  /** Distinguished name. @example `CN=Test Root` */
  readonly subject: string
  readonly keys: KeyPair
  /** Milliseconds since the epoch. @defaultValue a day before `now` */
  readonly notBefore?: number
  /** Milliseconds since the epoch. @defaultValue 30 days after `now` */
  readonly notAfter?: number
  /** Middle of its life unless that is given. Milliseconds since the epoch. */
  readonly now: number
  /** @defaultValue `false` */
  readonly isAuthority?: boolean
  /** Whether its key usage is to sign certificates. @defaultValue `isAuthority` */
  readonly signsCertificates?: boolean
  /** Authorities that may stand below it. */
  readonly pathLength?: number
  readonly dnsNames?: readonly string[]
  /** OIDs of its extended key usage. */
  readonly purposes?: readonly string[]
  /** More extensions, DER inside. */
  readonly extensions?: readonly ExtensionRecipe[]
  /** @defaultValue `SHA-256` */
  readonly hash?: 'SHA-1' | 'SHA-256'
}

export interface ExtensionRecipe {
  readonly oid: string
  readonly value: Buffer
  readonly critical?: boolean
}

export interface IssuedCertificate {
  readonly der: Buffer
  readonly pem: string
  readonly subject: string
  readonly keys: KeyPair
}

/** Makes a certificate, signed by `issuer` or, without one, by itself. */
export async function issueCertificate(
  recipe: CertificateRecipe,
  issuer?: IssuedCertificate,
): Promise<IssuedCertificate> {
  const signingKey = (issuer?.keys ?? recipe.keys).privateKey
  const { hash = 'SHA-256', isAuthority = false, now } = recipe
  const usage =
    (recipe.signsCertificates ?? isAuthority)
      ? KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign
      : KeyUsageFlags.digitalSignature
  const certificate = await X509CertificateGenerator.create({
    subject: recipe.subject,
    issuer: issuer?.subject ?? recipe.subject,
    notBefore: new Date(recipe.notBefore ?? now - DAY_MS),
    notAfter: new Date(recipe.notAfter ?? now + 30 * DAY_MS),
    publicKey: recipe.keys.publicKey,
    signingKey,
    signingAlgorithm: { name: signingKey.algorithm.name, hash },
    extensions: [
      new BasicConstraintsExtension(isAuthority, recipe.pathLength, true),
      new KeyUsagesExtension(usage, true),
      ...[recipe.dnsNames ?? []]
        .filter((names) => names.length > 0)
        .map(
          (names) =>
            new SubjectAlternativeNameExtension(
              names.map((value) => ({ type: 'dns', value }) as const),
            ),
        ),
      ...[recipe.purposes ?? []]
        .filter((purposes) => purposes.length > 0)
        .map((purposes) => new ExtendedKeyUsageExtension([...purposes])),
      ...(recipe.extensions ?? []).map(
        ({ oid, value, critical = false }) => new Extension(oid, critical, value),
      ),
    ],
  })
  return {
    der: Buffer.from(certificate.rawData),
    pem: certificate.toString('pem'),
    subject: recipe.subject,
    keys: recipe.keys,
  }
}
