import { type Change, type Key, recordKey, type Store } from '@svc/store'
import { OAuthError } from '../errors.ts'
import { type Instance, type InstanceId, isHttpError } from '@svc/platform'
import type { Client } from '../clients/client.ts'
import { isUserKind } from '../clients/client-record.ts'
import type { ClientStore } from '../clients/client-store.ts'

/** Why a client cannot be connected now. */
export interface LimitReached {
  /** Clients that the owner connected. */
  readonly count: number
  /** `oauthClientsMax` of the instance. */
  readonly limit: number
}

/** How many clients an owner may connect. @see oauth.md 3.10, 5.4 */
export interface ClientLimit {
  /** What stands in the way of the client; undefined: nothing. A client does not stand in its own way. */
  reached(instance: Instance, client: Client): Promise<LimitReached | undefined>
  /**
   * What has to be written together with a client that is connected now: of N parallel ones only as many are written
   * as there is room for. To be asked again whenever that write did not happen.
   * @throws OAuthError `client_limit` when there is no room
   */
  admit(instance: Instance, client: Client): Promise<readonly Change[]>
  /**
   * The same for a client that says from now on to be of a kind that is counted: no way around the limit.
   * @throws OAuthError 400 `invalid_client_metadata` when there is no room
   */
  admitKind(
    instance: Instance,
    client: Client,
    kind: string | undefined,
  ): Promise<readonly Change[]>
  /** Removes what is kept of an instance. */
  forget(instance: Instance): Promise<void>
}

export interface ClientLimitOptions {
  readonly store: Store
  readonly clients: Pick<ClientStore, 'list'>
}

const PAGE = 100

/** Counts under a record that every newly connected client changes: whoever counted before cannot write after it. */
export function createClientLimit({ store, clients }: ClientLimitOptions): ClientLimit {
  async function count(instance: Instance): Promise<number> {
    let found = 0
    let cursor: string | undefined
    do {
      const after = cursor === undefined ? {} : { cursor }
      const page = await clients.list(instance, 'connected', { limit: PAGE, ...after })
      found += page.clients.length
      cursor = page.cursor
    } while (cursor !== undefined)
    return found
  }

  async function reached(instance: Instance, client: Client): Promise<LimitReached | undefined> {
    const limit = instance.settings.oauthClientsMax ?? -1
    // SPEC: oauth.md 3.10 - flagship clients are counted, and never held up.
    if (limit < 0 || client.flagship) return undefined
    const connected = await count(instance)
    const others = isCounted(client) ? connected - 1 : connected
    return others >= limit ? { count: connected, limit } : undefined
  }

  async function admit(instance: Instance, client: Client): Promise<readonly Change[]> {
    const limit = instance.settings.oauthClientsMax ?? -1
    if (limit < 0 || client.flagship) return []
    const key = guardKey(instance.id)
    // Before the count: what happens after it is not missed.
    const guard = await store.get(key)
    if ((await reached(instance, client)) !== undefined) throw new OAuthError('client_limit')
    if (!client.pending || !isUserKind(client.metadata.client_kind)) return []
    const unchanged =
      guard === undefined ? ({ ifAbsent: true } as const) : { ifRevision: guard.revision }
    return [{ op: 'put', key, value: {}, ...unchanged }]
  }

  return {
    reached,
    admit,

    async admitKind(instance, client, kind) {
      const { pending, metadata } = client
      if (pending || isUserKind(metadata.client_kind) || !isUserKind(kind)) return []
      const asked = { ...client, pending: true, metadata: { ...metadata, client_kind: kind ?? '' } }
      try {
        return await admit(instance, asked)
      } catch (error) {
        if (!isHttpError(error) || error.code !== 'client_limit') throw error
        const { description = error.code } = error
        throw new OAuthError('invalid_client_metadata', { description, cause: error })
      }
    },

    async forget(instance) {
      await store.write([{ op: 'delete', key: guardKey(instance.id) }])
    },
  }
}

function isCounted({ pending, metadata }: Client): boolean {
  return !pending && isUserKind(metadata.client_kind)
}

function guardKey(instanceId: InstanceId): Key {
  return recordKey(instanceId, 'client-limit', 'connected')
}
