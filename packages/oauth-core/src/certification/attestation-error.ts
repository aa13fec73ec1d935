/**
 * What a refused attestation is refused for. `malformed` says what could not be parsed or trusted, in words of this
 * package; `missing` and `invalid` name a field; `foreignPackage` names the app the attestation is about.
 * @see oauth.md 4.3 to 4.5; docs/decisions/0110-reasons-of-refused-attestations.md
 */
export const REASONS = {
  missingCertification: 'missing certification',
  malformed: (why: string): string => `cannot parse attestation: ${why}`,
  missing: (field: string): string => `missing ${field}`,
  invalid: (field: string): string => `invalid ${field}`,
  invalidFormat: 'invalid webauthn format',
  // The name comes from the attestation: a package name has at most 255 characters.
  foreignPackage: (name: string): string =>
    `${name.slice(0, 255)} is not the package name of the flagship app`,
  unrecognizedApp: 'app not recognized',
  weakDevice: 'device integrity not met',
} as const

/**
 * An attestation that proves nothing. `message` is the reason, sent to the client as it is.
 * @example
 * if (error instanceof AttestationError) return error.reason
 */
export class AttestationError extends Error {
  override readonly name: string = 'AttestationError'
  /** One of the reasons of `oauth.md` 4.3 to 4.5. */
  readonly reason: string

  constructor(reason: string, options?: { readonly cause?: unknown }) {
    super(reason, options)
    this.reason = reason
  }
}

/**
 * Whether `error` is a refused attestation, also one of another copy of this package.
 * @example
 * if (isAttestationError(error)) return error.reason
 */
export function isAttestationError(error: unknown): error is AttestationError {
  return error instanceof Error && error.name === 'AttestationError' && 'reason' in error
}

/**
 * Runs one verifier and turns whatever a parser beneath it throws into a refusal: no input may end in anything else.
 * @throws AttestationError
 */
export async function refuseMalformed<T>(verify: () => T | Promise<T>): Promise<T> {
  try {
    return await verify()
  } catch (cause) {
    if (isAttestationError(cause)) throw cause
    throw new AttestationError(REASONS.malformed('not understood'), { cause })
  }
}
