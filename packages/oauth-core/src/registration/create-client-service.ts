import {
  type Emitter,
  equalSecrets,
  type Instance,
  type Logger,
  type Revocations,
} from '@svc/platform'
import type { Engine } from '../engine/engine.ts'
import { OAuthError } from '../errors.ts'
import type { Certification, OAuthEvents } from '../ports.ts'
import { type Client, linkedSlug } from '../clients/client.ts'
import type { ClientLimit } from './client-limit.ts'
import { isUserKind } from '../clients/client-record.ts'
import type { ClientService, ClientsUsage } from './client-service.ts'
import type { ClientChange, ClientList, ClientStore } from '../clients/client-store.ts'
import { createDevices } from './devices.ts'
import type { ClientRevoker } from './revoke-client.ts'

export interface ClientServiceOptions {
  readonly clients: ClientStore
  readonly clientLimit: Pick<ClientLimit, 'admit'>
  readonly engine: Pick<
    Engine,
    'issueTokens' | 'lastRefreshed' | 'lastUsed' | 'listGrants' | 'revokeGrant' | 'revokeGrants'
  >
  /** Whether a client may have scope `*`. */
  readonly isCertified: (client: Client) => boolean
  /** What the client gets of a scope that is asked for it. @throws OAuthError `invalid_scope` */
  readonly scopeFor: (client: Client, asked: string) => string
  readonly log: Logger
  readonly revoker: ClientRevoker
  readonly revocations: Pick<Revocations, 'publish'>
  readonly emitter: Emitter<OAuthEvents>
}

const PAGE = 100

/** The host's side of clients. @see oauth.md 10.1 */
export function createClientService(options: ClientServiceOptions): ClientService {
  const { clients, engine, revoker, revocations, emitter, log, isCertified } = options

  async function stamped(instance: Instance, found: readonly Client[]): Promise<Client[]> {
    const ids = found.map(({ id }) => id)
    const [refreshed, used] = await Promise.all([
      engine.lastRefreshed(instance, ids),
      engine.lastUsed(instance, ids),
    ])
    return found.map((client) => {
      const lastRefreshedAt = refreshed.get(client.id)
      const { at: lastUsedAt = lastRefreshedAt, from: lastUsedFrom } = used.get(client.id) ?? {}
      return {
        ...client,
        ...(lastRefreshedAt === undefined ? {} : { lastRefreshedAt }),
        ...(lastUsedAt === undefined ? {} : { lastUsedAt }),
        ...(lastUsedFrom === undefined ? {} : { lastUsedFrom }),
      }
    })
  }

  /** Changes a client and tells everybody who remembers it. */
  async function changed(
    instance: Instance,
    id: string,
    rule: (client: Client) => ClientChange | undefined,
    also?: Parameters<ClientStore['change']>[3],
  ): Promise<Client | undefined> {
    let isChanged = false
    const changing = (stored: Client): ClientChange | undefined => {
      const change = rule(stored)
      isChanged = change !== undefined
      return change
    }
    const client = await clients.change(instance, id, changing, also)
    if (client === undefined || !isChanged) return client
    await revocations.publish({ instanceId: instance.id, kind: 'client', id: client.id })
    emitter.emit('client.updated', { instance, client })
    return client
  }

  async function markAllowed(
    instance: Instance,
    id: string,
    { os, withinLimit = false }: { readonly os?: string; readonly withinLimit?: boolean },
  ): Promise<Client | undefined> {
    let wasPending = false
    const allow = ({ pending, os: known }: Client): ClientChange | undefined => {
      wasPending = pending
      if (!pending && (os === undefined || os === known)) return undefined
      return { pending: false, ...(os === undefined ? {} : { os }) }
    }
    const admit = (client: Client) => options.clientLimit.admit(instance, client)
    const client = await changed(instance, id, allow, withinLimit ? admit : undefined)
    if (wasPending && client !== undefined) await tellExceeded(instance, client)
    return client
  }

  async function certify(
    instance: Instance,
    id: string,
    how: Certification,
    judged?: Client,
  ): Promise<Client | undefined> {
    let isNew = false
    const client = await changed(instance, id, ({ flagship, certifiedFromStore, metadata }) => {
      isNew = false
      const { redirect_uris: addresses } = judged?.metadata ?? metadata
      if (JSON.stringify(metadata.redirect_uris) !== JSON.stringify(addresses)) return undefined
      isNew = !flagship
      const isFromStore = certifiedFromStore || how === 'store'
      if (flagship && isFromStore === certifiedFromStore) return undefined
      return { flagship: true, certifiedFromStore: isFromStore }
    })
    if (client === undefined) return undefined
    if (isNew) emitter.emit('client.certified', { instance, client, how })
    if (isNew) log.info('client.certified', { domain: instance.domain, clientId: client.id, how })
    return client
  }

  /** SPEC: oauth.md 11.3 - tokens of scope `*` fail from now on, also should the mark come back. */
  async function withdraw(instance: Instance, id: string): Promise<Client | undefined> {
    const client = await changed(instance, id, ({ flagship, certifiedFromStore }) =>
      flagship || certifiedFromStore ? { flagship: false, certifiedFromStore: false } : undefined,
    )
    if (client === undefined) return undefined
    for (const grant of await engine.listGrants(instance, client.id)) {
      if (grant.scope === '*') await engine.revokeGrant(instance, grant.id, 'not certified')
    }
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

  const devices = createDevices({ clients, engine, log, change: changed })

  return {
    ...devices,

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

    async onWebappUninstalled(instance, slug) {
      let count = 0
      for await (const page of pages(instance, 'all')) {
        for (const client of page) {
          if (linkedSlug(client.metadata.software_id) !== slug) continue
          if (await revoker.revoke(instance, client.id, 'app uninstalled')) count += 1
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

    async access(instance, id) {
      const grants = await engine.listGrants(instance, id)
      return grants.map(({ scope, createdAt, endsAt }) => ({
        scope,
        createdAt,
        ...(endsAt === undefined ? {} : { endsAt }),
      }))
    },

    async scopes(instance, id) {
      const grants = await engine.listGrants(instance, id)
      return [...new Set(grants.map(({ scope }) => scope))]
    },

    markAllowed,
    certify,
    isCertified,

    async setFlagship(instance, id, flagship) {
      return flagship ? certify(instance, id, 'host') : withdraw(instance, id)
    },

    async issueFlagshipTokens(instance, id, admit) {
      const known = await clients.find(instance, id)
      if (known === undefined || !isCertified(known)) return undefined
      // Before the tokens: from here on the clean-up of pending clients leaves this one alone.
      const client = await markAllowed(instance, id, {})
      if (client === undefined || !isCertified(client)) return undefined
      return engine.issueTokens(instance, {
        client,
        scope: '*',
        async admit() {
          await admit?.()
          // A mark that was withdrawn meanwhile ended the grants it found, perhaps not yet this one.
          const now = await clients.find(instance, id)
          if (now !== undefined && isCertified(now)) return
          const description = 'the client is not certified'
          throw new OAuthError('invalid_client', { status: 400, description })
        },
      })
    },

    async issueTokens(instance, id, asked) {
      const known = await clients.find(instance, id)
      if (known === undefined) return undefined
      const scope = options.scopeFor(known, asked)
      const client = await markAllowed(instance, id, {})
      return client === undefined ? undefined : engine.issueTokens(instance, { client, scope })
    },
  }
}
