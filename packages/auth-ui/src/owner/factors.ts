import type { FactorKind } from '../ports.ts'

/**
 * How the owner passes the second step. Times are milliseconds since the epoch. Part of the owner's record, so that
 * using something up and noting it are one conditional write.
 * @see decision D63
 */
export interface Factors {
  /** Passcodes by mail. */
  readonly mail?: { readonly enabledAt: number }
  /** An authenticator app. */
  readonly totp?: TotpFactor
  readonly passkeys?: readonly Passkey[]
  /** Only beside another factor: they turn nothing on by themselves. */
  readonly recovery?: RecoveryCodes
}

/** RFC 6238: SHA-1, 6 digits, 30 seconds. */
export interface TotpFactor {
  readonly id: string
  /** Sealed (security.md 110). */
  readonly secret: string
  /** The last accepted time step: neither it nor an earlier one is accepted again (RFC 6238 5.2). */
  readonly lastStep: number
  readonly createdAt: number
  readonly lastUsed?: number
}

/** A WebAuthn credential. */
export interface Passkey {
  /** Credential id, base64url. */
  readonly id: string
  /** COSE key, base64url. */
  readonly publicKey: string
  readonly counter: number
  readonly transports: readonly string[]
  /** The owner's own name for it. */
  readonly label: string
  readonly createdAt: number
  readonly lastUsed?: number
}

/** Ten codes for bad days, each good once. */
export interface RecoveryCodes {
  /** SHA-256 of the codes that are left, hexadecimal. */
  readonly hashes: readonly string[]
  readonly createdAt: number
}

/** Kinds that are enrolled, in the order they are offered. */
export function enrolledKinds(factors: Factors | undefined): readonly FactorKind[] {
  if (factors === undefined) return []
  const { mail, totp, passkeys = [], recovery } = factors
  return [
    ...(passkeys.length > 0 ? (['passkey'] as const) : []),
    ...(totp === undefined ? [] : (['totp'] as const)),
    ...(mail === undefined ? [] : (['mail'] as const)),
    ...(recovery === undefined || recovery.hashes.length === 0 ? [] : (['recovery'] as const)),
  ]
}

/** Whether logging in takes a second step: some factor beside recovery codes is enrolled. */
export function isSecondFactorOn(factors: Factors | undefined): boolean {
  return enrolledKinds(factors).some((kind) => kind !== 'recovery')
}
