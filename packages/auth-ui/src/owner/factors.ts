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
  /** Code factors of the host, one of each name. */
  readonly own?: readonly EnrolledFactor[]
  readonly passkeys?: readonly Passkey[]
  /**
   * Whether passkeys turn the second step on. Absent in records from before they could log in alone: there they did,
   * as long as there was one.
   */
  readonly passkeyAfterPassphrase?: boolean
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

/** A code factor of the host, enrolled. */
export interface EnrolledFactor {
  readonly id: string
  /** Without `x-`. */
  readonly name: string
  /** Sealed; what it says is the host's. */
  readonly state: string
  readonly createdAt: number
  readonly lastUsed?: number
}

/** A WebAuthn credential. Members that are absent are those of passkeys made before they could log in alone. */
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
  /** The authenticator finds it without being told its id. */
  readonly discoverable?: boolean
  /** The authenticator verified its user when it was made. */
  readonly verified?: boolean
  /** `multiDevice`: a provider may copy it to other devices. */
  readonly deviceType?: 'singleDevice' | 'multiDevice'
  readonly backedUp?: boolean
  /** May log in without a passphrase, as long as `stamp` is the owner's. */
  readonly firstWay?: boolean
  /** Security stamp it was last trusted under. */
  readonly stamp?: string
  /** Model of the authenticator; only to suggest a name. */
  readonly aaguid?: string
  /** Relying party it was made for. */
  readonly rpId?: string
  /** Of an imported one: what another program called its owner, base64url; empty: nobody knows, and any is taken. */
  readonly userHandle?: string
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
  const { mail, totp, own = [], passkeys = [], recovery } = factors
  return [
    ...(passkeys.length > 0 ? (['passkey'] as const) : []),
    ...(totp === undefined ? [] : (['totp'] as const)),
    ...own.map(({ name }) => `x-${name}` as const),
    ...(mail === undefined ? [] : (['mail'] as const)),
    ...(recovery === undefined || recovery.hashes.length === 0 ? [] : (['recovery'] as const)),
  ]
}

/** Whether logging in with the passphrase takes a second step. Recovery codes alone ask for none. */
export function isSecondFactorOn(factors: Factors | undefined): boolean {
  return enrolledKinds(factors).some((kind) =>
    kind === 'passkey' ? isPasskeyAsked(factors) : kind !== 'recovery',
  )
}

/** Whether passkeys by themselves turn the second step on. */
export function isPasskeyAsked(factors: Factors | undefined): boolean {
  const { passkeys = [], passkeyAfterPassphrase } = factors ?? {}
  return passkeyAfterPassphrase ?? passkeys.length > 0
}

/** Whether anything is enrolled that recovery codes can stand beside. */
export function hasFactor(factors: Factors | undefined): boolean {
  return enrolledKinds(factors).some((kind) => kind !== 'recovery')
}

/** The factors with a passkey as it is now, in the place of what it was. */
export function withPasskey(factors: Factors | undefined, passkey: Passkey): Factors {
  const passkeys = factors?.passkeys ?? []
  return { ...factors, passkeys: passkeys.map((each) => (each.id === passkey.id ? passkey : each)) }
}

/** Whether the passkey may log in alone now. */
export function isFirstWay({ firstWay, stamp }: Passkey, securityStamp: string): boolean {
  return firstWay === true && stamp === securityStamp
}

/** What is left when the second step is switched off: passkeys that log in alone. */
export function withoutSecondStep({ passkeys = [] }: Factors): Factors {
  const left = passkeys.filter(({ firstWay }) => firstWay === true)
  return left.length === 0 ? {} : { passkeys: left, passkeyAfterPassphrase: false }
}
