import { type IndexEntry, type IndexKey, indexKey, type Key, secretKey } from '@svc/store'
import type { InstanceId } from '../instances/instance.ts'

/**
 * What the owner allowed a client once, and the hub of what came of it: one code, then one refresh token. Dies with
 * its code when that is never exchanged.
 */
export type GrantRecord = {
  /** Stands in access tokens as `gid`; no credential. */
  readonly id: string
  readonly clientId: string
  readonly scope: string
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  /** Records to remove with the grant. */
  readonly tokens: readonly Key[]
}

/** An authorization code. Kept after its use, until it expires, so that a replay is recognised. */
export type CodeRecord = {
  readonly clientId: string
  readonly grantId: string
  readonly redirectUri: string
  readonly scope: string
  /** S256 challenge. */
  readonly codeChallenge?: string
  /** Milliseconds since the epoch. */
  readonly consumedAt?: number
}

export type RefreshTokenRecord = {
  readonly clientId: string
  readonly grantId: string
  readonly scope: string
}

export type RegistrationTokenRecord = {
  readonly clientId: string
}

/** Kinds of the engine's records; each is keyed by the SHA-256 of its value (D8). */
export type RecordKind = 'code' | 'grant' | 'refresh-token' | 'registration-token'

export function keyOf(instanceId: InstanceId, kind: RecordKind, value: string): Key {
  return secretKey(instanceId, kind, value)
}

/** Length of a grant's identifier: 128 random bits in base64url. */
const GRANT_ID_LENGTH = 22

/**
 * Codes and refresh tokens begin with their grant's identifier: one look-up at the start of a request then reads the
 * token and its grant together. What is secret is the rest.
 */
export function tokenOfGrant(grantId: string, secret: string): string {
  return `${grantId}${secret}`
}

/** The grant that a code or refresh token claims to belong to; undefined for what cannot be one of ours. */
export function claimedGrant(token: string): string | undefined {
  return token.length > GRANT_ID_LENGTH ? token.slice(0, GRANT_ID_LENGTH) : undefined
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
