import { equalSecrets } from '@svc/platform'
import type { FlagshipConfig } from './attestation-config.ts'
import { AttestationError, REASONS } from './attestation-error.ts'

/** What an app on Android sends. */
export interface AndroidAttestation {
  /** The token Google made, at most 48 KiB. */
  readonly attestation: string
  /** The nonce it was made for. */
  readonly challenge: string
}

/** How far Google's clock may differ from ours. @see oauth.md 4.3 */
export const ATTESTATION_SKEW_MS = 60_000

/** @throws AttestationError `missing nonce`, `invalid nonce` */
export function checkNonce(nonce: unknown, challenge: string): void {
  if (typeof nonce !== 'string' || nonce === '') {
    throw new AttestationError(REASONS.missing('nonce'))
  }
  if (!equalSecrets(nonce, challenge)) throw new AttestationError(REASONS.invalid('nonce'))
}

/** @throws AttestationError `missing <field>`, `invalid <field>` */
export function checkAge(
  field: string,
  timestampMs: number | undefined,
  { now, maxTokenAgeMs, skewMs }: Readonly<Record<'now' | 'maxTokenAgeMs' | 'skewMs', number>>,
): number {
  if (timestampMs === undefined) throw new AttestationError(REASONS.missing(field))
  const ageMs = now - timestampMs
  // Written so that a value that is no number is refused.
  if (ageMs >= -skewMs && ageMs <= maxTokenAgeMs + skewMs) return timestampMs
  throw new AttestationError(REASONS.invalid(field))
}

/** @throws AttestationError `missing <field>`, `<name> is not the package name of the flagship app` */
export function checkPackageName(field: string, name: unknown, config: FlagshipConfig): string {
  if (typeof name !== 'string' || name === '') throw new AttestationError(REASONS.missing(field))
  if (config.apkPackageNames.includes(name)) return name
  throw new AttestationError(REASONS.foreignPackage(name))
}

/**
 * The first digest of a list, in one of the encodings.
 * @throws AttestationError `missing <field>`, `invalid certificate digest`
 */
export function checkDigest(
  field: string,
  digests: unknown,
  encodings: readonly ('base64' | 'base64url')[],
  config: FlagshipConfig,
): string {
  const digest: unknown = Array.isArray(digests) ? digests[0] : undefined
  if (typeof digest !== 'string' || digest === '') {
    throw new AttestationError(REASONS.missing(field))
  }
  const isListed = config.apkCertificateDigests.some((listed) =>
    encodings.some((encoding) => listed.toString(encoding) === digest),
  )
  if (isListed) return digest
  throw new AttestationError(REASONS.invalid('certificate digest'))
}
