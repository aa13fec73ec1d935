import { createHash, randomBytes } from 'node:crypto'
import { equalSecrets, randomHex } from '@svc/platform'
import type { Factors } from './factors.ts'
import type { StoredHash } from './stored-hash.ts'

/** The person an instance belongs to. Times are milliseconds since the epoch. @see login.md 1 */
export interface Owner {
  /** Absent until onboarding. */
  readonly passphraseHash?: StoredHash
  /** Of the browser's derivation; never changes. */
  readonly salt: string
  /** PBKDF2-SHA256, the only one. */
  readonly kdf: 0
  /** Of the browser's derivation. */
  readonly iterations: number
  /** Mailed to the owner, never in an answer. */
  readonly hint?: string
  /** SHA-256 of the tokens that can onboard, newest last. */
  readonly registerTokens: readonly string[]
  /**
   * Sealed: the token of the onboarding link that an import of owners answered, for a repeat to answer it again. Gone
   * with the onboarding.
   */
  readonly invitation?: string
  /** Changes with every passphrase; copied into what must die with it. UUID version 7. */
  readonly securityStamp: string
  /** Absent: nobody has chosen a passphrase yet. */
  readonly onboardedAt?: number
  /** Absent: the second factor is off. */
  readonly factors?: Factors
  /** Whether a mailed link logs in. @defaultValue `false` */
  readonly magicLink?: boolean
  /** `false` while nobody but the server knows the passphrase: the owner logs in with magic links. @defaultValue `true` */
  readonly passwordDefined?: boolean
  /** The one link to a new passphrase that is under way. */
  readonly reset?: PendingReset
  /** Vault material, opaque here. */
  readonly keys?: VaultKeys
  readonly createdAt: number
  readonly updatedAt: number
}

/** The link mailed by a reset. */
export interface PendingReset {
  /** SHA-256, hexadecimal. */
  readonly hash: string
  readonly expiresAt: number
}

/** At most 8 KiB each. @see login.md 3.3 */
export interface VaultKeys {
  readonly key?: string
  readonly publicKey?: string
  readonly privateKey?: string
}

const MAX_REGISTER_TOKENS = 3
const REGISTER_TOKEN = /^[0-9a-f]{32}$/

/** A fresh token for the onboarding link: 32 hexadecimal characters. */
export function newRegisterToken(): string {
  return randomHex(16)
}

/** What the token of an import is sealed for. */
export function invitationContext(instanceId: string): string {
  return `invitation:${instanceId}`
}

/** Adds a token; only the three latest stay valid. */
export function withRegisterToken(owner: Owner, token: string): Owner {
  return {
    ...owner,
    registerTokens: [...owner.registerTokens, digest(token)].slice(-MAX_REGISTER_TOKENS),
  }
}

/** Whether the token can onboard this owner now. */
export function acceptsRegisterToken(owner: Owner, token: string): boolean {
  if (owner.onboardedAt !== undefined || !REGISTER_TOKEN.test(token)) return false
  const hash = digest(token)
  return owner.registerTokens.some((known) => equalSecrets(known, hash))
}

/** UUID version 7: ordered by time, 74 random bits. */
export function newSecurityStamp(now: number): string {
  const bytes = randomBytes(16)
  bytes.writeUIntBE(now, 0, 6)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x70, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  const hex = bytes.toString('hex')
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20),
  ].join('-')
}

function digest(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}
