import { AttestationError, REASONS } from './attestation-error.ts'

/** Longest attestation that is looked at. Characters. @see oauth.md 4.2 */
export const MAX_ATTESTATION_LENGTH = 49_152

/**
 * The attestation as text of bounded length.
 * @throws AttestationError `cannot parse attestation: …`
 */
export function boundedAttestation(attestation: unknown): string {
  if (typeof attestation !== 'string' || attestation === '') {
    throw new AttestationError(REASONS.malformed('empty'))
  }
  if (attestation.length > MAX_ATTESTATION_LENGTH) {
    throw new AttestationError(REASONS.malformed('larger than 48 KiB'))
  }
  return attestation
}

/** The challenge of a caller without types may be anything; one that is no text proves nothing. */
export function boundedChallenge(challenge: unknown): string {
  if (typeof challenge === 'string' && challenge !== '' && challenge.length <= 1024) {
    return challenge
  }
  throw new AttestationError(REASONS.invalid('challenge'))
}
