import { equalSecrets, type Instance } from '@svc/platform'
import { type Client, type ClientId, isCertified, isPublic, linkedSlug } from '../clients/client.ts'
import type { TokenAnswer } from '../engine/bridge.ts'
import { type Grant, listGrants, revokeGrants } from '../engine/grant.ts'
import { issueTokens } from '../engine/mint.ts'
import { OAuthError } from '../errors.ts'
import type { Certification } from '../ports.ts'
import type { OAuthServices } from '../services.ts'
import { type AccessChange, type AccessChangeOutcome, changeAccess } from './change-access.ts'
import { certifyClient, markAllowed, withdrawCertification } from './change-client.ts'
import { countConnected, limitOf } from './client-limit.ts'
import { clearDeviceToken, type Devices, listNotifiable } from './devices.ts'
import type { ActivitySource } from './activity-source.ts'
import { withStamps } from './client-stamps.ts'
import { revokeClient } from './end-client.ts'
import { grantableScope } from './grantable-scope.ts'
import { permittedScope } from './scope-policy.ts'

/** A page of clients, without secrets. */
export interface ClientPage {
  readonly clients: readonly Client[]
  readonly cursor?: string
}

/** One thing the owner allowed a client. Milliseconds since the epoch. */
export interface ClientAccess {
  readonly scope: string
  readonly createdAt: number
  /** Absent: it lasts until it is revoked. */
  readonly endsAt?: number
  /** Path of the resource that it is of. Absent: the interface itself. */
  readonly resource?: string
}

/**
 * How many clients are connected, and how many may be. `limitReached`: no other one can be; `limitExceeded`: there are
 * more than may be.
 * @example
 * const { count, limit } = await oauth.clients.usage(instance)
 */
export interface ClientsUsage {
  /** Absent: no limit. */
  readonly limit?: number
  readonly count: number
  readonly limitReached: boolean
  readonly limitExceeded: boolean
}

/** The host's side of clients. @see oauth.md 10.1 */
export interface ClientService extends Devices {
  get(instance: Instance, id: ClientId | string): Promise<Client | undefined>
  /** Newest first; `limit` 1 to 100. Pending clients included. */
  list(
    instance: Instance,
    page?: { readonly limit?: number; readonly cursor?: string },
  ): Promise<ClientPage>
  /** Not pending, of kind `browser`, `desktop` or `mobile`, with a name. */
  listConnected(instance: Instance): Promise<readonly Client[]>
  usage(instance: Instance): Promise<ClientsUsage>
  /** Ends a client and everything it holds, before it resolves. False when there was none. @see oauth.md 11.1 */
  revoke(
    instance: Instance,
    id: ClientId | string,
    reason: string,
    by?: ActivitySource,
  ): Promise<boolean>
  revokeAll(instance: Instance, filter?: { readonly kind?: string }): Promise<number>
  /** To be called when a web app was uninstalled: ends the clients linked to it. @returns how many */
  onWebappUninstalled(instance: Instance, slug: string): Promise<number>
  /**
   * Ends the tokens of every client, or of the flagship app's alone; their registrations stay.
   * @param filter.grants - which grants of these clients; all without it
   * @returns of how many clients
   */
  revokeGrants(
    instance: Instance,
    reason: string,
    filter?: {
      readonly flagship?: boolean
      readonly grants?: (grant: Pick<Grant, 'createdAt' | 'scope'>) => boolean
    },
  ): Promise<number>
  /**
   * Notes that the owner allowed the client: no longer pending, and the system of the browser it was done with.
   * Writes only when something changes. Undefined when the client is gone.
   * @param seen.withinLimit - one more must be within `oauthClientsMax`, however many are allowed at once
   * @throws OAuthError `client_limit`
   */
  markAllowed(
    instance: Instance,
    id: ClientId | string,
    seen: { readonly os?: string; readonly withinLimit?: boolean },
  ): Promise<Client | undefined>
  /**
   * Marks or unmarks a client as the flagship app; without the mark, all that it holds of scope `*` ends. Its answer is
   * the client, undefined when there is none. @see oauth.md 11.3
   */
  setFlagship(
    instance: Instance,
    id: ClientId | string,
    flagship: boolean,
  ): Promise<Client | undefined>
  /**
   * Certifies a client; `store`: also notes that its platform vouches for it. Its answer is the client, undefined when
   * there is none.
   * @param verified - the client as it was looked at: one that has other addresses by now stays as it is (D21)
   */
  certify(
    instance: Instance,
    id: ClientId | string,
    how: Certification,
    verified?: Client,
  ): Promise<Client | undefined>
  /** Whether the client may have scope `*`: certified, or every client counts as such (`flagship.skipCertification`). */
  isCertified(client: Client): boolean
  /**
   * Tokens of scope `*` in a grant of their own, for a certified client whose owner just logged in with it; it is no
   * longer pending. Undefined for any other client. @see oauth.md 7.3
   * @param admit - asked once they could be used: when it rejects, they are worth nothing
   */
  issueFlagshipTokens(
    instance: Instance,
    id: ClientId | string,
    admit?: () => Promise<void>,
  ): Promise<TokenAnswer | undefined>
  /**
   * Tokens in a grant of their own on the host's authority, as if the owner had allowed it; the client is no longer
   * pending. Undefined without such a client.
   * @throws OAuthError `invalid_scope` for what no owner could allow it
   */
  issueTokens(
    instance: Instance,
    id: ClientId | string,
    scope: string,
  ): Promise<TokenAnswer | undefined>
  /**
   * Compares a secret with the client's own, in constant time; undefined without such a client. Wrong ones are the
   * caller's to count. @param secret - from outside, any text
   */
  verifySecret(
    instance: Instance,
    id: ClientId | string,
    secret: string,
  ): Promise<{ readonly client: Client; readonly isRight: boolean } | undefined>
  /** What the owner allowed the client and is still good, newest first. */
  access(instance: Instance, id: ClientId): Promise<readonly ClientAccess[]>
  /** Lets what the client has last longer, or be less. @see docs/decisions/0470 */
  changeAccess(
    instance: Instance,
    id: ClientId | string,
    change: AccessChange,
    by?: ActivitySource,
  ): Promise<AccessChangeOutcome>
  /** What the client may do by its live grants: scope strings, newest first. */
  scopes(instance: Instance, id: ClientId): Promise<readonly string[]>
}

/** {@link ClientService} over the package's own functions. */
export function clientServiceOf(services: OAuthServices): ClientService {
  const { clients, engine, flagship } = services
  return {
    listNotifiable: (instance) => listNotifiable(services, instance),
    clearDeviceToken: (instance, platform, token) =>
      clearDeviceToken(services, instance, platform, token),
    async get(instance, id) {
      const client = await clients.find(instance, id)
      return client === undefined ? undefined : (await withStamps(services, instance, [client]))[0]
    },
    async list(instance, page = {}) {
      const found = await clients.list(instance, 'all', { ...page, order: 'desc' })
      return { ...found, clients: await withStamps(services, instance, found.clients) }
    },
    async listConnected(instance) {
      const connected: Client[] = []
      for await (const page of clients.pages(instance, 'connected')) {
        connected.push(...(await withStamps(services, instance, page)))
      }
      return connected
    },
    async usage(instance) {
      const count = await countConnected(services, instance)
      const limit = limitOf(instance)
      if (limit === undefined) return { count, limitReached: false, limitExceeded: false }
      return { limit, count, limitReached: count >= limit, limitExceeded: count > limit }
    },
    revoke: (instance, id, reason, by) =>
      revokeClient(services, instance, id, reason, by === undefined ? {} : { by }),
    revokeAll: (instance, { kind } = {}) =>
      forEachClient(services, instance, async (client) => {
        if (kind !== undefined && client.metadata.client_kind !== kind) return false
        return revokeClient(services, instance, client.id, 'revoked with others')
      }),
    onWebappUninstalled: (instance, slug) =>
      forEachClient(services, instance, async (client) => {
        if (linkedSlug(client.metadata.software_id) !== slug) return false
        return revokeClient(services, instance, client.id, 'app uninstalled')
      }),
    revokeGrants: (instance, reason, { flagship: which, grants } = {}) =>
      forEachClient(services, instance, async (client) => {
        if (which !== undefined && client.flagship !== which) return false
        await revokeGrants(engine, instance, client.id, reason, grants)
        return true
      }),
    markAllowed: (instance, id, seen) => markAllowed(services, instance, id, seen),
    setFlagship: (instance, id, isFlagship) =>
      isFlagship
        ? certifyClient(services, instance, id, 'host')
        : withdrawCertification(services, instance, id),
    certify: (instance, id, how, verified) =>
      certifyClient(services, instance, id, how, verified === undefined ? {} : { verified }),
    isCertified: (client) => isCertified(client, flagship),
    issueFlagshipTokens: (instance, id, admit) =>
      issueFlagshipTokens(services, instance, id, admit),
    async issueTokens(instance, id, asked) {
      const known = await clients.find(instance, id)
      if (known === undefined) return undefined
      const granted = grantableScope(services, known, asked)
      const scope = await permittedScope(services, instance, known, granted)
      const client = await markAllowed(services, instance, id, {})
      return client === undefined ? undefined : issueTokens(engine, instance, { client, scope })
    },
    async verifySecret(instance, id, secret) {
      const opened = await clients.open(instance, id)
      if (opened === undefined) return undefined
      const { client } = opened
      return { client, isRight: !isPublic(client) && equalSecrets(opened.secret, secret) }
    },
    async access(instance, id) {
      const grants = await listGrants(engine, instance, id)
      return grants.map(({ scope, createdAt, endsAt, resource }) => ({
        scope,
        createdAt,
        ...(endsAt === undefined ? {} : { endsAt }),
        ...(resource === undefined ? {} : { resource }),
      }))
    },
    changeAccess: (instance, id, change, by) => changeAccess(services, instance, id, change, by),
    async scopes(instance, id) {
      const grants = await listGrants(engine, instance, id)
      return [...new Set(grants.map(({ scope }) => scope))]
    },
  }
}

/** @returns of how many clients the work was done */
async function forEachClient(
  { clients }: OAuthServices,
  instance: Instance,
  work: (client: Client) => Promise<boolean>,
): Promise<number> {
  let count = 0
  for await (const page of clients.pages(instance, 'all')) {
    for (const client of page) if (await work(client)) count += 1
  }
  return count
}

async function issueFlagshipTokens(
  services: OAuthServices,
  instance: Instance,
  id: string,
  admit: (() => Promise<void>) | undefined,
): Promise<TokenAnswer | undefined> {
  const { clients, engine, flagship } = services
  const known = await clients.find(instance, id)
  if (known === undefined || !isCertified(known, flagship)) return undefined
  // Before the tokens: from here on the clean-up of pending clients leaves this one alone.
  const client = await markAllowed(services, instance, id, {})
  if (client === undefined || !isCertified(client, flagship)) return undefined
  return issueTokens(engine, instance, {
    client,
    scope: '*',
    async admit() {
      await admit?.()
      // A mark that was withdrawn meanwhile ended the grants it found, perhaps not yet this one.
      const now = await clients.find(instance, id)
      if (now !== undefined && isCertified(now, flagship)) return
      const description = 'the client is not certified'
      throw new OAuthError('invalid_client', { status: 400, description })
    },
  })
}
