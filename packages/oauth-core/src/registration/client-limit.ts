import { type Instance, type InstanceId, isHttpError } from '@svc/platform'
import { type Change, type Key, recordKey } from '@svc/store'
import type { Client } from '../clients/client.ts'
import { isCounted, isUserKind } from '../clients/client-record.ts'
import { OAuthError } from '../errors.ts'
import type { OAuthServices } from '../services.ts'

// How many clients an owner may connect. They are counted under a record that every newly connected client changes:
// whoever counted before cannot write after it. @see oauth.md 3.10, 5.4

type LimitServices = Pick<OAuthServices, 'clients' | 'store'>

/** Why a client cannot be connected now. */
export interface LimitReached {
  /** Clients that the owner connected. */
  readonly count: number
  /** `oauthClientsMax` of the instance. */
  readonly limit: number
}

/** How many clients the owner connected. */
export function countConnected(
  { clients }: Pick<OAuthServices, 'clients'>,
  instance: Instance,
): Promise<number> {
  return clients.count(instance, 'connected')
}

/** What stands in the way of the client; undefined: nothing. A client does not stand in its own way. */
export async function findLimitReached(
  services: Pick<OAuthServices, 'clients'>,
  instance: Instance,
  client: Client,
): Promise<LimitReached | undefined> {
  const limit = limitOf(instance)
  // SPEC: oauth.md 3.10 - flagship clients are counted, and never held up.
  if (limit === undefined || client.flagship) return undefined
  const connected = await countConnected(services, instance)
  const others = isConnected(client) ? connected - 1 : connected
  return others >= limit ? { count: connected, limit } : undefined
}

/**
 * What has to be written together with a client that is connected now: of N parallel ones only as many are written as
 * there is room for. To be asked again whenever that write did not happen.
 * @throws OAuthError `client_limit` when there is no room
 */
export async function admitClient(
  services: LimitServices,
  instance: Instance,
  client: Client,
): Promise<readonly Change[]> {
  if (limitOf(instance) === undefined || client.flagship) return []
  const key = guardKey(instance.id)
  // Before the count: what happens after it is not missed.
  const guard = await services.store.get(key)
  if ((await findLimitReached(services, instance, client)) !== undefined) {
    throw new OAuthError('client_limit')
  }
  if (isConnected(client) || !isCounted(client.metadata)) return []
  const unchanged =
    guard === undefined ? ({ ifAbsent: true } as const) : { ifRevision: guard.revision }
  return [{ op: 'put', key, value: {}, ...unchanged }]
}

/**
 * The same for a client that says from now on to be of a kind that is counted: no way around the limit.
 * @throws OAuthError 400 `invalid_client_metadata` when there is no room
 */
export async function admitKind(
  services: LimitServices,
  instance: Instance,
  client: Client,
  kind: string | undefined,
): Promise<readonly Change[]> {
  const { pending, metadata } = client
  if (pending || isCounted(metadata) || !isUserKind(kind)) return []
  const asked = { ...client, pending: true, metadata: { ...metadata, client_kind: kind ?? '' } }
  try {
    return await admitClient(services, instance, asked)
  } catch (error) {
    if (!isHttpError(error) || error.code !== 'client_limit') throw error
    const { description = error.code } = error
    throw new OAuthError('invalid_client_metadata', { description, cause: error })
  }
}

/** Removes what is kept of an instance. */
export async function dropLimit(
  { store }: Pick<OAuthServices, 'store'>,
  instance: Instance,
): Promise<void> {
  await store.write([{ op: 'delete', key: guardKey(instance.id) }])
}

/** `oauthClientsMax`; undefined: any number. */
export function limitOf({ settings }: Instance): number | undefined {
  const limit = settings.oauthClientsMax ?? -1
  return limit < 0 ? undefined : limit
}

/** Whether the client takes a place; a public registration does while it has access. */
export function isConnected({ isIdle, pending, metadata }: Client): boolean {
  return !pending && isIdle !== true && isCounted(metadata)
}

function guardKey(instanceId: InstanceId): Key {
  return recordKey(instanceId, 'client-limit', 'connected')
}
