import { X509Certificate } from 'node:crypto'
import { AttestationError, REASONS } from './attestation-error.ts'
import { type CertificateDetails, certificateDetails } from './certificate.ts'

/** Longest chain that is looked at. Real ones have two to four certificates. */
const MAX_CERTIFICATES = 8
const MIN_RSA_BITS = 2048
const MAX_RSA_BITS = 8192
const CURVES: ReadonlySet<string | undefined> = new Set(['prime256v1', 'secp384r1', 'secp521r1'])

export interface ChainRules {
  /** Where a chain may end. */
  readonly roots: readonly X509Certificate[]
  /** When every certificate has to be valid, the root included. Milliseconds since the epoch. */
  readonly now: number
  /** OID that extended key usages have to allow where they are present; absent: not looked at. */
  readonly purpose?: string
}

export interface VerifiedChain {
  readonly leaf: X509Certificate
  readonly details: CertificateDetails
}

/**
 * Follows a chain, leaf first, to one of the roots. The root itself may be the last of `x5c` or be left out; every
 * certificate must be signed by the next, so that nothing in `x5c` goes unverified.
 * @throws AttestationError `cannot parse attestation: …`
 */
export function verifyChain(x5c: readonly Uint8Array[], rules: ChainRules): VerifiedChain {
  if (x5c.length > MAX_CERTIFICATES) refuse('the certificate chain is too long')
  const path = endAtRoot(x5c.map(parseCertificate), rules.roots)
  const [leaf] = path
  if (leaf === undefined || path.length < 2) refuse('the certificate chain is too short')
  for (const certificate of path) {
    const isCurrent =
      certificate.validFromDate.getTime() <= rules.now &&
      rules.now <= certificate.validToDate.getTime()
    if (!isCurrent) refuse('a certificate is not valid now')
  }
  // From the root down: so no key is used before it is known to be one of the chain's.
  for (let index = path.length - 2; index >= 0; index--) {
    const [certificate, issuer] = [path[index], path[index + 1]]
    if (certificate === undefined || issuer === undefined || !hasIssued(issuer, certificate)) {
      refuse('a certificate is not signed by the next')
    }
    checkDetails(certificate, certificateDetails(certificate), index, rules.purpose)
  }
  const root = certificateDetails(path[path.length - 1] ?? leaf)
  if (root.hasNameConstraints || !allowsBelow(root, path.length - 2)) {
    refuse('the root does not allow this chain')
  }
  return { leaf, details: certificateDetails(leaf) }
}

function parseCertificate(der: Uint8Array): X509Certificate {
  let certificate: X509Certificate
  try {
    certificate = new X509Certificate(der)
  } catch (cause) {
    throw new AttestationError(REASONS.malformed('a certificate is malformed'), { cause })
  }
  // PEM and bytes after the certificate would parse as well.
  if (!certificate.raw.equals(der)) refuse('a certificate is malformed')
  return certificate
}

function endAtRoot(
  certificates: readonly X509Certificate[],
  roots: readonly X509Certificate[],
): readonly X509Certificate[] {
  const last = certificates[certificates.length - 1]
  if (last === undefined || roots.some((root) => root.raw.equals(last.raw))) return certificates
  const root = roots.find((candidate) => hasIssued(candidate, last))
  if (root === undefined) refuse('the certificate chain ends at no trusted root')
  return [...certificates, root]
}

function hasIssued(issuer: X509Certificate, certificate: X509Certificate): boolean {
  // checkIssued compares names and key identifiers, verify the signature.
  if (!issuer.ca || !certificate.checkIssued(issuer)) return false
  try {
    return certificate.verify(issuer.publicKey)
  } catch {
    return false
  }
}

function checkDetails(
  { publicKey }: X509Certificate,
  details: CertificateDetails,
  index: number,
  purpose: string | undefined,
): void {
  const { modulusLength = 0, namedCurve } = publicKey.asymmetricKeyDetails ?? {}
  const hasStrongKey =
    publicKey.asymmetricKeyType === 'rsa'
      ? modulusLength >= MIN_RSA_BITS && modulusLength <= MAX_RSA_BITS
      : publicKey.asymmetricKeyType === 'ec' && CURVES.has(namedCurve)
  if (!hasStrongKey || !details.hasStrongSignature) refuse('a certificate is too weak')
  // Constraints that are not evaluated must not be passed over: below them, names could be claimed at will.
  if (details.hasUnknownCriticalExtension || details.hasNameConstraints) {
    refuse('a certificate has constraints that are not supported')
  }
  if (!allowsBelow(details, index - 1)) refuse('the certificate chain is too long')
  if (purpose !== undefined && !details.allows(purpose)) {
    refuse('a certificate is for another purpose')
  }
}

/** Whether `authorities` of them may stand between a certificate and the leaf. */
function allowsBelow({ pathLength }: CertificateDetails, authorities: number): boolean {
  return pathLength === undefined || authorities <= pathLength
}

function refuse(why: string): never {
  throw new AttestationError(REASONS.malformed(why))
}
