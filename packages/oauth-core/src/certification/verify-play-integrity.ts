import type { KeyObject } from 'node:crypto'
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
import {
  asObject,
  compactParts,
  type JsonObject,
  jsonObject,
  protectedHeader,
} from './jose-parts.ts'

const MILLISECONDS = /^[0-9]{1,15}$/

/** What else {@link verifyPlayIntegrity} goes by. */
export interface PlayIntegrityChecks {
  /** Milliseconds since the epoch: when the token has to be valid. */
  readonly now: number
  /** How far Google's clock may differ. Milliseconds. @defaultValue `60_000` */
  readonly skewMs?: number
  /** Verdicts on the app, of which one has to be given. @defaultValue `['PLAY_RECOGNIZED']` */
  readonly appVerdicts?: readonly string[]
  /** Verdicts on the device, which all have to be given. @defaultValue `['MEETS_DEVICE_INTEGRITY']` */
  readonly deviceVerdicts?: readonly string[]
}

/** What a Play Integrity token proved. */
export interface PlayIntegrityEvidence {
  readonly packageName: string
  /** SHA-256 of the certificate that signed the app, as Google wrote it. */
  readonly certificateDigest: string
  /** When it was asked for. Milliseconds since the epoch. */
  readonly timestampMs: number
}

/**
 * Checks a Play Integrity token: a JWS of Google inside a JWE for us, made for one challenge. No network.
 * @throws AttestationError with the reasons of `oauth.md` 4.4, and nothing else
 * @see oauth.md 4.4
 * @example
 * const config = resolveFlagship({ apkPackageNames: ['io.example.app'], playIntegrityDecryptionKeys: [token] })
 * const { packageName } = await verifyPlayIntegrity({ attestation, challenge }, config, { now: Date.now() })
 */
export function verifyPlayIntegrity(
  input: AndroidAttestation,
  config: FlagshipConfig,
  checks: PlayIntegrityChecks,
): Promise<PlayIntegrityEvidence> {
  return refuseMalformed(async () => {
    const { now, skewMs = ATTESTATION_SKEW_MS } = checks
    const challenge = boundedChallenge(input.challenge)
    const token = boundedAttestation(input.attestation)
    const jws = await decrypt(token, config.playIntegrityDecryptionKeys)
    const claims = await verifySignature(jws, config.playIntegrityVerificationKeys)

    const request = asObject(claims['requestDetails']) ?? {}
    checkNonce(request['nonce'], challenge)
    const timestampMs = checkAge(
      'requestDetails.timestampMillis',
      milliseconds(request['timestampMillis']),
      { now, maxTokenAgeMs: config.maxTokenAgeMs, skewMs },
    )
    const requester = request['requestPackageName']
    if (requester !== undefined) {
      checkPackageName('requestDetails.requestPackageName', requester, config)
    }
    const app = asObject(claims['appIntegrity']) ?? {}
    const evidence: PlayIntegrityEvidence = {
      timestampMs,
      packageName: checkPackageName('appIntegrity.packageName', app['packageName'], config),
      // Google writes base64url without padding here.
      certificateDigest: checkDigest(
        'appIntegrity.certificateSha256Digest',
        app['certificateSha256Digest'],
        ['base64', 'base64url'],
        config,
      ),
    }
    checkVerdicts(claims, app, checks)
    return evidence
  })
}

/** Rule 1. */
async function decrypt(token: string, keys: readonly Uint8Array[]): Promise<string> {
  const [header] = compactParts(token, 5)
  protectedHeader(header, { alg: 'A256KW', enc: 'A256GCM' })
  const { compactDecrypt } = await import('jose')
  for (const key of keys) {
    try {
      const { plaintext } = await compactDecrypt(token, key, {
        keyManagementAlgorithms: ['A256KW'],
        contentEncryptionAlgorithms: ['A256GCM'],
      })
      return new TextDecoder().decode(plaintext)
    } catch {
      // Another of the keys may fit.
    }
  }
  throw new AttestationError(REASONS.malformed('no key decrypts it'))
}

/** Rule 2. */
async function verifySignature(jws: string, keys: readonly KeyObject[]): Promise<JsonObject> {
  const [header, payload] = compactParts(jws, 3)
  protectedHeader(header, { alg: 'ES256' })
  const { compactVerify } = await import('jose')
  for (const key of keys) {
    try {
      await compactVerify(jws, key, { algorithms: ['ES256'] })
    } catch {
      continue
    }
    return jsonObject(payload, 'the payload')
  }
  throw new AttestationError(REASONS.malformed('no key verifies its signature'))
}

/** Rule 5. */
function checkVerdicts(claims: JsonObject, app: JsonObject, checks: PlayIntegrityChecks): void {
  const { appVerdicts = ['PLAY_RECOGNIZED'], deviceVerdicts = ['MEETS_DEVICE_INTEGRITY'] } = checks
  const verdict = app['appRecognitionVerdict']
  if (typeof verdict !== 'string' || !appVerdicts.includes(verdict)) {
    throw new AttestationError(REASONS.unrecognizedApp)
  }
  const given: unknown = asObject(claims['deviceIntegrity'])?.['deviceRecognitionVerdict']
  if (!Array.isArray(given) || !deviceVerdicts.every((wanted) => given.includes(wanted))) {
    throw new AttestationError(REASONS.weakDevice)
  }
}

/** The value in milliseconds, `NaN` unless it is a string of digits, `undefined` if there is none. */
function milliseconds(value: unknown): number | undefined {
  if (value === undefined) return undefined
  return typeof value === 'string' && MILLISECONDS.test(value) ? Number(value) : Number.NaN
}
