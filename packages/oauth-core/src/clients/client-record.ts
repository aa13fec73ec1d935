import {
  type IndexEntry,
  type IndexKey,
  indexKey,
  type Json,
  type Key,
  recordKey,
} from '@svc/store'
import type { Instance, InstanceId } from '@svc/platform'
import {
  type Client,
  type ClientId,
  type ClientMetadata,
  isPublic,
  isPublicRegistration,
} from './client.ts'
import type { DocumentSnapshot } from './client-document.ts'
import { deviceDigest, deviceOf } from './device-token.ts'

/** A client as it is stored, its secret sealed. Times are milliseconds since the epoch. */
export type ClientRecord = {
  readonly metadata: ClientMetadata & { readonly [name: string]: Json | undefined }
  /** Sealed under {@link secretContext}. */
  readonly secret: string
  readonly pending: boolean
  readonly flagship: boolean
  readonly certifiedFromStore: boolean
  readonly unnamed?: { readonly redirectUri?: string }
  readonly document?: DocumentSnapshot
  readonly formerName?: string | undefined
  readonly os?: string
  readonly createdAt: number
  readonly updatedAt: number
  readonly keepUntil?: number
  readonly isSeen?: boolean
  readonly isIdle?: boolean
  /** When the client gave its device token last. */
  readonly deviceTokenAt?: number
  readonly webPushKey?: string
}

const CLIENT_ID = /^(?:[A-Za-z0-9-]{1,128}|cimd-[A-Za-z0-9_-]{32})$/
const USER_KINDS: readonly (string | undefined)[] = ['browser', 'desktop', 'mobile']

/** Whether clients of the kind are counted among those the owner connected. @see oauth.md 3.10 */
export function isUserKind(kind: string | undefined): boolean {
  return USER_KINDS.includes(kind)
}

/** Whether a client takes a place among those the owner connected. @see oauth.md 3.10; docs/decisions/0514 */
export function isCounted(
  metadata: Pick<ClientMetadata, 'client_kind' | 'token_endpoint_auth_method'>,
): boolean {
  return isUserKind(metadata.client_kind) || isPublic({ metadata })
}

/** Whether the client's name is its own alone: not what a document calls it, and not the stand-in. */
export function ownsName({
  document,
  unnamed,
}: Pick<ClientRecord, 'document' | 'unnamed'>): boolean {
  return document === undefined && unnamed === undefined
}

/** Whether a text can be the identifier of a client at all. */
export function isClientId(text: string): text is ClientId {
  return CLIENT_ID.test(text)
}

export function clientKey(instanceId: InstanceId, id: string): Key {
  return recordKey(instanceId, 'client', id)
}

/** All clients, oldest first. */
export function clientsIndex(instanceId: InstanceId): IndexKey {
  return indexKey(instanceId, 'clients')
}

/** Clients that never got a code, oldest first, without public registrations. */
export function pendingIndex(instanceId: InstanceId): IndexKey {
  return indexKey(instanceId, 'clients-pending')
}

/** Public registrations that never got a code, oldest first. @see decision D91 */
export function pendingPublicIndex(instanceId: InstanceId): IndexKey {
  return indexKey(instanceId, 'clients-pending-public')
}

/** Public registrations that were allowed and have no access now, least recently used first. @see decision D91 */
export function idleIndex(instanceId: InstanceId): IndexKey {
  return indexKey(instanceId, 'clients-idle')
}

/** Clients the owner connected and counts. @see oauth.md 3.10 */
export function connectedIndex(instanceId: InstanceId): IndexKey {
  return indexKey(instanceId, 'clients-connected')
}

/** Clients that documents describe. @see assistants.md 2.14 */
export function describedIndex(instanceId: InstanceId): IndexKey {
  return indexKey(instanceId, 'clients-described')
}

/** Clients that were allowed and have a device to notify, oldest first. @see notifications.md 16.1 */
export function notifiableIndex(instanceId: InstanceId): IndexKey {
  return indexKey(instanceId, 'clients-notifiable')
}

/** Clients that gave a device token, allowed or not. @see notifications.md 16.8 */
export function deviceIndex(instanceId: InstanceId, platform: string, token: string): IndexKey {
  return indexKey(instanceId, `clients-of-device:${deviceDigest(platform, token)}`)
}

export function clientEntries(
  instanceId: InstanceId,
  id: string,
  record: ClientRecord,
): IndexEntry[] {
  const { createdAt, document, isIdle = false, keepUntil = 0, pending, metadata } = record
  const sort = sortOf(createdAt, id)
  const entries = [{ index: clientsIndex(instanceId), sort }]
  if (pending) {
    const waiting = isPublicRegistration(record) ? pendingPublicIndex : pendingIndex
    entries.push({ index: waiting(instanceId), sort })
  } else if (isIdle) entries.push({ index: idleIndex(instanceId), sort: sortOf(keepUntil, id) })
  else if (isCounted(metadata)) entries.push({ index: connectedIndex(instanceId), sort })
  if (document !== undefined) entries.push({ index: describedIndex(instanceId), sort })
  const device = deviceOf(metadata)
  if (device !== undefined) {
    entries.push({ index: deviceIndex(instanceId, device.platform, device.token), sort })
    if (!pending) entries.push({ index: notifiableIndex(instanceId), sort })
  }
  return entries
}

function sortOf(at: number, id: string): string {
  return `${String(at).padStart(15, '0')}:${id}`
}

/** What a client's secret is sealed for: it opens nowhere else. */
export function secretContext(instanceId: InstanceId, id: string): string {
  return `client-secret:${instanceId}:${id}`
}

export function toClient(key: Key, record: ClientRecord): Client {
  const { secret: _, ...client } = record
  // Until decision D103 the name stood in the snapshot of a document alone.
  const formerName = record.formerName ?? record.document?.formerName?.name
  // The last part of a key made by `clientKey`.
  const id = key.slice(key.lastIndexOf(':') + 1) as ClientId
  return { id, ...client, ...(formerName !== undefined && { formerName }) }
}

/**
 * What a client is called beside a new name: that by which its owner allowed it, however often it renames itself since.
 * Nothing while nobody allowed it, and when it has that name again.
 */
export function formerNameOf(
  { formerName, metadata, pending }: Pick<Client, 'formerName' | 'metadata' | 'pending'>,
  name: string,
): string | undefined {
  const allowed = formerName ?? metadata.client_name
  return pending || allowed === name ? undefined : allowed
}

/** Optional members of the wire record, in the order they are sent. */
const OPTIONAL = [
  'software_version',
  'client_kind',
  'client_uri',
  'logo_uri',
  'policy_uri',
  'notification_platform',
  'notification_device_token',
  'notifications',
  'token_endpoint_auth_method',
] as const satisfies readonly (keyof ClientMetadata)[]

/**
 * The record as the client sees it; nothing else ever leaves.
 * @param registrationToken - given at registration only
 * @see oauth.md 1.1
 */
export function toWire(
  { origin }: Pick<Instance, 'origin'>,
  client: Client,
  secret: string,
  registrationToken?: string,
): Readonly<Record<string, Json>> {
  const { id, metadata, flagship, certifiedFromStore } = client
  const isOpen = isPublic(client)
  const wire: Record<string, Json> = {
    client_id: id,
    ...(isOpen
      ? { client_id_issued_at: Math.floor(client.createdAt / 1000) }
      : { client_secret: secret, client_secret_expires_at: 0 }),
  }
  if (registrationToken !== undefined) wire['registration_access_token'] = registrationToken
  // SPEC: RFC 7592 section 3 - deployed clients with a secret were never given it.
  if (isOpen) wire['registration_client_uri'] = `${origin}/auth/register/${id}`
  wire['grant_types'] = ['authorization_code', 'refresh_token']
  wire['response_types'] = ['code']
  wire['redirect_uris'] = metadata.redirect_uris
  wire['client_name'] = metadata.client_name
  if (!isOpen) wire['software_id'] = metadata.software_id
  for (const name of OPTIONAL) {
    // Metadata came from JSON.
    const value = metadata[name] as Json | undefined
    if (value !== undefined) wire[name] = value
  }
  if (flagship) wire['flagship'] = true
  if (certifiedFromStore) wire['certified_from_store'] = true
  return wire
}
