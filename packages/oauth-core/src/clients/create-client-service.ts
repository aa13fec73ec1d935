import { equalSecrets } from '../constant-time.ts'
import type { Emitter } from '../emitter.ts'
import type { Engine } from '../engine/engine.ts'
import type { Instance } from '../instances/instance.ts'
import type { Revocations } from '../tokens/revocation.ts'
import type { Client } from './client.ts'
import { isUserKind } from './client-record.ts'
import type { ClientService, ClientsUsage } from './client-service.ts'
import type { ClientChange, ClientList, ClientStore } from './client-store.ts'
import type { ClientRevoker } from './revoke-client.ts'

export interface ClientServiceOptions {
  readonly clients: ClientStore
  readonly engine: Pick<Engine, 'lastRefreshed' | 'listGrants' | 'revokeGrants'>
  readonly revoker: ClientRevoker
  readonly revocations: Pick<Revocations, 'publish'>
  readonly emitter: Emitter
}

const PAGE = 100

/** The host's side of clients. @see oauth.md 10.1 */
export function createClientService(options: ClientServiceOptions): ClientService {
  const { clients, engine, revoker, revocations, emitter } = options

  async function stamped(instance: Instance, found: readonly Client[]): Promise<Client[]> {
    const ids = found.map(({ id }) => id)
    const stamps = await engine.lastRefreshed(instance, ids)
    return found.map((client) => {
      const lastRefreshedAt = stamps.get(client.id)
      return lastRefreshedAt === undefined ? client : { ...client, lastRefreshedAt }
    })
  }

  /** Changes a client and tells everybody who remembers it. */
  async function changed(
    instance: Instance,
    id: string,
    rule: (client: Client) => ClientChange | undefined,
  ): Promise<Client | undefined> {
    let isChanged = false
    const client = await clients.change(instance, id, (stored) => {
      const change = rule(stored)
      isChanged = change !== undefined
      return change
    })
    if (client === undefined || !isChanged) return client
    await revocations.publish({ instanceId: instance.id, kind: 'client', id: client.id })
    emitter.emit('client.updated', { instance, client })
    return client
  }

  async function* pages(instance: Instance, which: ClientList) {
    let cursor: string | undefined
    do {
      const after = cursor === undefined ? {} : { cursor }
      const page = await clients.list(instance, which, { limit: PAGE, order: 'desc', ...after })
      yield page.clients
      cursor = page.cursor
    } while (cursor !== undefined)
  }

  async function listConnected(instance: Instance): Promise<readonly Client[]> {
    const connected: Client[] = []
    for await (const page of pages(instance, 'connected')) {
      connected.push(...(await stamped(instance, page)))
    }
    return connected
  }

  async function usage(instance: Instance): Promise<ClientsUsage> {
    let count = 0
    for await (const page of pages(instance, 'connected')) count += page.length
    const limit = instance.settings.oauthClientsMax ?? -1
    if (limit < 0) return { count, limitReached: false, limitExceeded: false }
    return { limit, count, limitReached: count >= limit, limitExceeded: count > limit }
  }

  /** SPEC: oauth.md 3.10 - told once, of the client that is counted from now on. */
  async function tellExceeded(instance: Instance, { metadata }: Client): Promise<void> {
    if ((instance.settings.oauthClientsMax ?? -1) < 0 || !isUserKind(metadata.client_kind)) return
    const { limit, limitExceeded } = await usage(instance)
    if (limit === undefined || !limitExceeded) return
    const clientName = metadata.client_name
    emitter.emit('clients.limit.exceeded', { instance, clientName, limit })
  }

  return {
    async get(instance, id) {
      const client = await clients.find(instance, id)
      return client === undefined ? undefined : (await stamped(instance, [client]))[0]
    },

    async list(instance, page = {}) {
      const found = await clients.list(instance, 'all', { ...page, order: 'desc' })
      return { ...found, clients: await stamped(instance, found.clients) }
    },

    listConnected,

    usage,

    revoke: (instance, id, reason) => revoker.revoke(instance, id, reason),

    async revokeAll(instance, { kind } = {}) {
      let count = 0
      for await (const page of pages(instance, 'all')) {
        for (const client of page) {
          if (kind !== undefined && client.metadata.client_kind !== kind) continue
          if (await revoker.revoke(instance, client.id, 'revoked with others')) count += 1
        }
      }
      return count
    },

    async revokeGrants(instance, reason, { flagship } = {}) {
      let count = 0
      for await (const page of pages(instance, 'all')) {
        for (const client of page) {
          if (flagship !== undefined && client.flagship !== flagship) continue
          await engine.revokeGrants(instance, client.id, reason)
          count += 1
        }
      }
      return count
    },

    async verifySecret(instance, id, secret) {
      const opened = await clients.open(instance, id)
      if (opened === undefined) return undefined
      return { client: opened.client, isRight: equalSecrets(opened.secret, secret) }
    },

    async scopes(instance, id) {
      const grants = await engine.listGrants(instance, id)
      return [...new Set(grants.map(({ scope }) => scope))]
    },

    async markAllowed(instance, id, { os }) {
      let wasPending = false
      const client = await changed(instance, id, ({ pending, os: known }) => {
        wasPending = pending
        if (!pending && (os === undefined || os === known)) return undefined
        return { pending: false, ...(os === undefined ? {} : { os }) }
      })
      if (wasPending && client !== undefined) await tellExceeded(instance, client)
      return client
    },

    // SPEC: oauth.md 11.3 - without the mark, tokens of scope `*` fail from now on.
    async setFlagship(instance, id, flagship) {
      return changed(instance, id, (client) =>
        client.flagship === flagship
          ? undefined
          : { flagship, ...(flagship ? {} : { certifiedFromStore: false }) },
      )
    },
  }
}
