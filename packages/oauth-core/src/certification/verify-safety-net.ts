import { verify } from 'node:crypto'
import {
  type AndroidAttestation,
  ATTESTATION_SKEW_MS,
  checkAge,
  checkDigest,
  checkNonce,
  checkPackageName,
} from './android-claims.ts'
import type { FlagshipConfig } from './attestation-config.ts'
import { AttestationError, REASONS, refuseMalformed } from './attestation-error.ts'
import { boundedAttestation, boundedChallenge } from './bounded-attestation.ts'
import type { verifyChain } from './chain.ts'
import {
  compactParts,
  decodeCanonical,
  type JsonObject,
  jsonObject,
  protectedHeader,
} from './jose-parts.ts'

const SERVER_AUTHENTICATION = '1.3.6.1.5.5.7.3.1'

/** What else {@link verifySafetyNet} goes by. */
export interface SafetyNetChecks {
  /** Milliseconds since the epoch: when chain and token have to be valid. */
  readonly now: number
  /** DNS name of the certificate that signed. @defaultValue `attest.android.com` */
  readonly host?: string
  /** How far Google's clock may differ. Milliseconds. @defaultValue `60_000` */
  readonly skewMs?: number
  /** Verdicts that have to be `true`. @defaultValue `['ctsProfileMatch', 'basicIntegrity']` */
  readonly verdicts?: readonly string[]
}

/** What a SafetyNet attestation proved. */
export interface SafetyNetEvidence {
  readonly packageName: string
  /** SHA-256 of the certificate that signed the app, standard base64. */
  readonly certificateDigest: string
  /** When Google made it. Milliseconds since the epoch. */
  readonly timestampMs: number
}

/**
 * Checks a SafetyNet attestation: a JWS of Google about the app and the device, made for one challenge.
 * @throws AttestationError with the reasons of `oauth.md` 4.3, and nothing else
 * @see oauth.md 4.3
 * @example
 * const config = resolveFlagship({ apkPackageNames: ['io.example.app'] })
 * const { packageName } = await verifySafetyNet({ attestation, challenge }, config, { now: Date.now() })
 */
export async function verifySafetyNet(
  input: AndroidAttestation,
  config: FlagshipConfig,
  checks: SafetyNetChecks,
): Promise<SafetyNetEvidence> {
  // Most servers never see an attestation, and do without the parsers.
  const chain = await import('./chain.ts')
  return refuseMalformed(() => {
    const { now, host = 'attest.android.com', skewMs = ATTESTATION_SKEW_MS } = checks
    const { verdicts = ['ctsProfileMatch', 'basicIntegrity'] } = checks
    const challenge = boundedChallenge(input.challenge)
    const token = boundedAttestation(input.attestation)
    const claims = verifySignature(token, config, chain, host, now)

    checkNonce(claims['nonce'], challenge)
    const stamp = claims['timestampMs']
    const age = { now, maxTokenAgeMs: config.maxTokenAgeMs, skewMs }
    // In the order of the rules: each part is checked as it is collected.
    const evidence: SafetyNetEvidence = {
      timestampMs: checkAge('timestampMs', milliseconds(stamp), age),
      packageName: checkPackageName('apkPackageName', claims['apkPackageName'], config),
      certificateDigest: checkDigest(
        'apkCertificateDigestSha256',
        claims['apkCertificateDigestSha256'],
        ['base64'],
        config,
      ),
    }
    if (verdicts.every((verdict) => claims[verdict] === true)) return evidence
    throw new AttestationError(REASONS.weakDevice)
  })
}

/** Rules 1 to 3: the claims, once their signature leads to a root. */
function verifySignature(
  token: string,
  config: FlagshipConfig,
  chain: { readonly verifyChain: typeof verifyChain },
  host: string,
  now: number,
): JsonObject {
  const [header, payload, signature] = compactParts(token, 3)
  const { x5c } = protectedHeader(header, { alg: 'RS256' })
  if (!Array.isArray(x5c) || x5c.length === 0) {
    throw new AttestationError(REASONS.missingCertification)
  }
  const certificates = x5c.map((der: unknown) => decodeCanonical(der, 'base64'))
  const decoded = certificates.filter((der) => der !== undefined)
  if (decoded.length !== certificates.length) refuse('x5c is not standard base64')
  const { leaf } = chain.verifyChain(decoded, {
    roots: config.trustRoots.google,
    now,
    purpose: SERVER_AUTHENTICATION,
  })
  // The common name counts for nothing, and neither does a wildcard.
  if (leaf.checkHost(host, { subject: 'never', wildcards: false }) === undefined) {
    refuse(`the certificate is not for ${host}`)
  }
  if (leaf.publicKey.asymmetricKeyType !== 'rsa') refuse('the certificate has no RSA key')
  const signed = Buffer.from(token.slice(0, token.lastIndexOf('.')), 'ascii')
  if (signature === undefined || !verify('sha256', signed, leaf.publicKey, signature)) {
    refuse('the signature is wrong')
  }
  return jsonObject(payload, 'the payload')
}

function refuse(why: string): never {
  throw new AttestationError(REASONS.malformed(why))
}

/** The value in milliseconds, `NaN` unless it is a number, `undefined` if there is none. */
function milliseconds(value: unknown): number | undefined {
  if (value === undefined) return undefined
  return typeof value === 'number' ? value : Number.NaN
}
