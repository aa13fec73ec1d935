import { hash, timingSafeEqual } from 'node:crypto'
import { type IndexEntry, type IndexKey, indexKey, type Key, secretKey } from '@svc/store'
import type { InstanceId } from '@svc/platform'

/**
 * What the owner allowed a client once, with its one code and its one refresh token: whatever happens to them is one
 * conditional write, and revoking is one delete (docs/decisions/0011). Until the code is exchanged the record lives
 * as long as the code; from then on until the refresh token and the last access token are dead.
 */
export type GrantRecord = {
  /** Stands in access tokens as `gid`; no credential. */
  readonly id: string
  readonly clientId: string
  readonly scope: string
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  /** Milliseconds since the epoch, a whole second: nothing of the grant is good from then on. Absent: until revoked. */
  readonly endsAt?: number
  readonly code: CodeRecord
  /** SHA-256 of the refresh token, base64url. Absent until the code is exchanged. */
  readonly refreshToken?: string
}

/** An authorization code. Kept after its use, so that a replay is recognised. */
export type CodeRecord = {
  /** SHA-256 of the code, base64url. */
  readonly hash: string
  readonly redirectUri: string
  /** S256 challenge. */
  readonly challenge?: string
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
  /** Milliseconds since the epoch; absent: not used yet. */
  readonly consumedAt?: number
}

export type RegistrationTokenRecord = {
  readonly clientId: string
}

/** A moment, or the grant's end when that comes first. Milliseconds since the epoch. */
export function notAfterEnd({ endsAt }: Pick<GrantRecord, 'endsAt'>, at: number): number {
  return endsAt === undefined ? at : Math.min(endsAt, at)
}

/** Length of a grant's identifier: 128 random bits in base64url. */
const GRANT_ID_LENGTH = 22

export function grantKey(instanceId: InstanceId, grantId: string): Key {
  return secretKey(instanceId, 'grant', grantId)
}

export function registrationTokenKey(instanceId: InstanceId, value: string): Key {
  return secretKey(instanceId, 'registration-token', value)
}

/** Codes and refresh tokens begin with their grant's identifier, which leads to its record. The rest is secret. */
export function tokenOfGrant(grantId: string, secret: string): string {
  return `${grantId}${secret}`
}

/** The grant that a code or refresh token claims to belong to; undefined for what cannot be one of ours. */
export function claimedGrant(token: string): string | undefined {
  return token.length > GRANT_ID_LENGTH ? token.slice(0, GRANT_ID_LENGTH) : undefined
}

/** What is kept of a code or refresh token. */
export function digestOf(token: string): string {
  return hash('sha256', token, 'base64url')
}

export function isDigestOf(digest: string | undefined, token: string): boolean {
  if (digest === undefined) return false
  return timingSafeEqual(Buffer.from(digest, 'base64url'), hash('sha256', token, 'buffer'))
}

/** Grants of a client, oldest first. */
export function grantsIndex(instanceId: InstanceId, clientId: string): IndexKey {
  return indexKey(instanceId, `grants:${clientId}`)
}

export function grantEntries(
  instanceId: InstanceId,
  { clientId, createdAt }: GrantRecord,
): IndexEntry[] {
  return [{ index: grantsIndex(instanceId, clientId), sort: String(createdAt).padStart(15, '0') }]
}

/** Registration access tokens of a client. */
export function registrationIndex(instanceId: InstanceId, clientId: string): IndexKey {
  return indexKey(instanceId, `registration-tokens:${clientId}`)
}
