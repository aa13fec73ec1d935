import type { X509Certificate } from 'node:crypto'
import { AsnConvert } from '@peculiar/asn1-schema'
import {
  BasicConstraints,
  Certificate,
  ExtendedKeyUsage,
  type Extension,
} from '@peculiar/asn1-x509'

const BASIC_CONSTRAINTS = '2.5.29.19'
const EXTENDED_KEY_USAGE = '2.5.29.37'
const ANY_PURPOSE = '2.5.29.37.0'
const NAME_CONSTRAINTS = '2.5.29.30'
/** Critical extensions that are looked at, here or by `node:crypto`: key usage, host names, policies and the above. */
const UNDERSTOOD: ReadonlySet<string> = new Set([
  BASIC_CONSTRAINTS,
  EXTENDED_KEY_USAGE,
  '2.5.29.15',
  '2.5.29.17',
  '2.5.29.32',
])
/** RSA (PKCS #1) and ECDSA with SHA-256, SHA-384 and SHA-512. */
const SIGNATURE_ALGORITHMS: ReadonlySet<string> = new Set([
  '1.2.840.113549.1.1.11',
  '1.2.840.113549.1.1.12',
  '1.2.840.113549.1.1.13',
  '1.2.840.10045.4.3.2',
  '1.2.840.10045.4.3.3',
  '1.2.840.10045.4.3.4',
])

/** What `node:crypto` does not say of a certificate. */
export interface CertificateDetails {
  /** Whether it says that something must be understood which is not. */
  readonly hasUnknownCriticalExtension: boolean
  /** Limits on the names below it, which nothing here evaluates. */
  readonly hasNameConstraints: boolean
  /** How many authorities may stand between it and a leaf; `undefined`: any number. */
  readonly pathLength: number | undefined
  /** Whether it is signed with SHA-2. */
  readonly hasStrongSignature: boolean
  /** Whether its extended key usage, if it has one, names `purpose`. */
  allows(purpose: string): boolean
  /** DER in the first extension of this OID. */
  extension(oid: string): Buffer | undefined
}

/**
 * Reads the extensions of a certificate. Only for certificates whose signature was verified: the parser takes the time
 * that the nesting of its input asks for.
 * @throws Error when an extension is malformed
 */
export function certificateDetails(certificate: X509Certificate): CertificateDetails {
  const parsed = AsnConvert.parse(certificate.raw, Certificate)
  const extensions: readonly Extension[] = parsed.tbsCertificate.extensions ?? []
  const valueOf = (oid: string): Buffer | undefined => {
    const found = extensions.find((extension) => extension.extnID === oid)
    return found && Buffer.from(found.extnValue.buffer)
  }
  const constraints = valueOf(BASIC_CONSTRAINTS)
  const usage = valueOf(EXTENDED_KEY_USAGE)
  const purposes = usage && AsnConvert.parse(usage, ExtendedKeyUsage)
  return {
    hasUnknownCriticalExtension: extensions.some(
      ({ critical, extnID }) => critical && !UNDERSTOOD.has(extnID),
    ),
    hasNameConstraints: valueOf(NAME_CONSTRAINTS) !== undefined,
    pathLength: constraints && AsnConvert.parse(constraints, BasicConstraints).pathLenConstraint,
    hasStrongSignature: SIGNATURE_ALGORITHMS.has(parsed.signatureAlgorithm.algorithm),
    allows: (purpose) =>
      purposes === undefined || purposes.includes(purpose) || purposes.includes(ANY_PURPOSE),
    extension: valueOf,
  }
}
