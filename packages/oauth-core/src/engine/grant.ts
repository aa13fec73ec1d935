import { hash, timingSafeEqual } from 'node:crypto'
import {
  type Emitter,
  type Instance,
  type InstanceId,
  randomId,
  type Revocations,
} from '@svc/platform'
import {
  type Change,
  type IndexEntry,
  type IndexKey,
  indexKey,
  type Json,
  type Key,
  recordKey,
  secretKey,
  type Store,
  type StoredRecord,
} from '@svc/store'
import type { ClientId } from '../clients/client.ts'
import { CONSENT_MS } from '../lifetimes.ts'
import type { OAuthEvents } from '../ports.ts'

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
  /** The end that the owner was told of. Milliseconds since the epoch. */
  readonly toldEnd?: number
  /** Path of the resource that its tokens are for (RFC 8707). Absent: the interface itself. */
  readonly resource?: string
  readonly code: CodeRecord
  /** Of a client that a document describes: its code was exchanged without a key. */
  readonly isKeyless?: true
  /** Of a client without a secret, whose refresh tokens change. */
  readonly rotation?: RotationRecord
  /** SHA-256 of the refresh token, base64url. Absent until the code is exchanged. */
  readonly refreshToken?: string
}

/** How often the refresh token changed, and the latest that were replaced, newest first. */
export type RotationRecord = {
  /** Of the current token; the first has 0. */
  readonly generation: number
  readonly retired: readonly RetiredToken[]
}

/** A refresh token that has a successor. */
export type RetiredToken = {
  readonly generation: number
  /** SHA-256 of the token, base64url. */
  readonly hash: string
  /** The key that made its successor. */
  readonly kid: string
  /** Milliseconds since the epoch; absent: as long as nobody used what came of it. */
  readonly until?: number
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

/** That the access of a client was changed or ended: another mark each time. Kept as long as a page from before can be answered. */
export type AccessChangeRecord = {
  readonly mark: string
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

export function accessChangeKey(instanceId: InstanceId, clientId: string): Key {
  return recordKey(instanceId, 'access-change', clientId)
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

/** A live grant as the rest of the package sees it: what the owner allowed a client once. */
export interface Grant {
  readonly id: string
  readonly clientId: ClientId
  readonly scope: string
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  /** Milliseconds since the epoch; absent: until it is revoked. */
  readonly endsAt?: number
  /** The end that the owner was told of. */
  readonly toldEnd?: number
  /** Path of the resource that its tokens are for. Absent: the interface itself. */
  readonly resource?: string
  /** Of a client that a document describes: its code was exchanged without a key. */
  readonly isKeyless?: true
  /** Of a client without a secret: its refresh token, and whether that was never used so far. */
  readonly rotation?: { readonly generation: number; readonly isUnused: boolean }
}

/** What ends grants: where they are stored, and who is notified that one ended. */
export interface GrantServices {
  readonly store: Store
  /** Notifies guards everywhere. */
  readonly revocations: Pick<Revocations, 'publish'>
  readonly clock: { now(): number }
  readonly emitter: Pick<Emitter<OAuthEvents>, 'emit'>
}

/** How many live grants a client keeps; the oldest is revoked (D41). */
export const MAX_GRANTS_PER_CLIENT = 20

const PAGE = 100

/** The live grant, or undefined. */
export async function findGrant(
  { store }: { readonly store: Pick<Store, 'get'> },
  instance: Instance,
  id: string,
): Promise<Grant | undefined> {
  const record = await store.get<GrantRecord>(grantKey(instance.id, id))
  return record === undefined ? undefined : toGrant(record.value)
}

/** The grant of a live refresh token, or undefined. */
export async function findRefreshGrant(
  { store }: { readonly store: Pick<Store, 'get'> },
  instance: Instance,
  refreshToken: string,
): Promise<Grant | undefined> {
  const grantId = claimedGrant(refreshToken)
  if (grantId === undefined) return undefined
  const record = await store.get<GrantRecord>(grantKey(instance.id, grantId))
  return record !== undefined && isDigestOf(record.value.refreshToken, refreshToken)
    ? toGrant(record.value)
    : undefined
}

/** Live grants of a client, newest first. */
export async function listGrants(
  { store }: Pick<GrantServices, 'store'>,
  instance: Instance,
  clientId: string,
): Promise<readonly Grant[]> {
  const records = await listAll<GrantRecord>(store, grantsIndex(instance.id, clientId))
  return records.map(({ value }) => toGrant(value)).reverse()
}

/**
 * The change that outdates the consent pages of a client. It belongs into each write that changes or ends a grant: what was
 * taken away must not come back with the answer to a page from before. @see decision D103
 * @param mark - a page that has this mark is not outdated
 */
export function outdatePages(
  { clock }: Pick<GrantServices, 'clock'>,
  instance: Instance,
  clientId: string,
  mark: string = randomId(),
): Change {
  return {
    op: 'put',
    key: accessChangeKey(instance.id, clientId),
    value: { mark } satisfies AccessChangeRecord,
    expiresAt: clock.now() + CONSENT_MS,
  }
}

/**
 * Ends a grant with its codes and refresh tokens, here and in other processes; its access tokens are refused within 1 s.
 * @param mark - of {@link outdatePages}
 * @returns whether this call ended it, and wrote what was given with it
 */
export async function revokeGrant(
  services: GrantServices,
  instance: Instance,
  id: string,
  reason: string,
  also: readonly Change[] = [],
  mark?: string,
): Promise<boolean> {
  return endGrant(services, instance, id, reason, ({ clientId }) => [
    ...also,
    outdatePages(services, instance, clientId, mark),
  ])
}

async function endGrant(
  { store, revocations, emitter }: GrantServices,
  instance: Instance,
  id: string,
  reason: string,
  also: (grant: GrantRecord) => readonly Change[],
): Promise<boolean> {
  const taken = await takeWith(store, grantKey(instance.id, id), also)
  if (taken === undefined) return false
  const { clientId, rotation, resource } = taken.value
  const kind = {
    ...(rotation === undefined ? {} : { isRotating: true as const }),
    ...(resource === undefined ? {} : { resource }),
  }
  emitter.emit('grant.revoked', { instance, grantId: id, clientId, reason, ...kind })
  await revocations.publish({ instanceId: instance.id, kind: 'grant', id })
  return true
}

/** Takes a grant, and writes the changes where there was one. */
async function takeWith(
  store: Store,
  key: Key,
  also: (grant: GrantRecord) => readonly Change[],
): Promise<StoredRecord<GrantRecord> | undefined> {
  const record = await store.get<GrantRecord>(key)
  if (record === undefined) return undefined
  const changes = also(record.value)
  const { written } = await store.write([{ op: 'delete', key, ifPresent: true }, ...changes])
  return written ? record : undefined
}

/** Ends the grants of a client. @param isMeant - which of them; all without it */
export async function revokeGrants(
  services: GrantServices,
  instance: Instance,
  clientId: string,
  reason: string,
  isMeant: (grant: Grant) => boolean = () => true,
): Promise<void> {
  const grants = await listAll<GrantRecord>(services.store, grantsIndex(instance.id, clientId))
  for (const { value } of grants) {
    if (isMeant(toGrant(value))) await revokeGrant(services, instance, value.id, reason)
  }
}

/** Revokes the oldest grants of a client above the limit. That takes nothing away by anybody's wish: pages stay good. */
export async function trimGrants(
  services: GrantServices,
  instance: Instance,
  clientId: string,
): Promise<void> {
  const grants = await listAll<GrantRecord>(services.store, grantsIndex(instance.id, clientId))
  const tooMany = grants.slice(0, Math.max(0, grants.length - MAX_GRANTS_PER_CLIENT))
  for (const { value } of tooMany) await endGrant(services, instance, value.id, 'limit', () => [])
}

/** Whether the registration access token is that client's. */
export async function isRegistrationToken(
  { store }: Pick<GrantServices, 'store'>,
  instance: Instance,
  clientId: ClientId,
  token: string,
): Promise<boolean> {
  const key = registrationTokenKey(instance.id, token)
  const record = await store.get<RegistrationTokenRecord>(key)
  return record?.value.clientId === clientId
}

/** Removes the registration access tokens of a client whose record is gone. */
export async function dropRegistrationTokens(
  { store }: Pick<GrantServices, 'store'>,
  instance: Instance,
  clientId: string,
): Promise<void> {
  const tokens = await listAll(store, registrationIndex(instance.id, clientId))
  for (const { key } of tokens) await store.write([{ op: 'delete', key }])
}

async function listAll<Value extends Json>(
  store: Store,
  index: IndexKey,
): Promise<StoredRecord<Value>[]> {
  const records: StoredRecord<Value>[] = []
  let cursor: string | undefined
  do {
    const page = await store.list<Value>(index, {
      limit: PAGE,
      ...(cursor === undefined ? {} : { cursor }),
    })
    records.push(...page.records)
    cursor = page.cursor
  } while (cursor !== undefined)
  return records
}

function useOf({ generation, retired }: RotationRecord): NonNullable<Grant['rotation']> {
  return { generation, isUnused: retired.some(({ until }) => until === undefined) }
}

function toGrant(record: GrantRecord): Grant {
  const { id, clientId, scope, createdAt, endsAt, toldEnd, resource, isKeyless, rotation } = record
  return {
    id,
    clientId: clientId as ClientId, // Stored from a Client's id.
    scope,
    createdAt,
    ...(endsAt === undefined ? {} : { endsAt }),
    ...(toldEnd === undefined ? {} : { toldEnd }),
    ...(resource === undefined ? {} : { resource }),
    ...(isKeyless === undefined ? {} : { isKeyless }),
    ...(rotation === undefined ? {} : { rotation: useOf(rotation) }),
  }
}
