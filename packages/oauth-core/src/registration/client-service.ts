import type { TokenAnswer } from '../engine/engine.ts'
import type { Instance } from '@svc/platform'
import type { Certification } from '../ports.ts'
import type { Client, ClientId } from '../clients/client.ts'
import type { Devices } from './devices.ts'

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
}

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
  revoke(instance: Instance, id: ClientId | string, reason: string): Promise<boolean>
  revokeAll(instance: Instance, filter?: { readonly kind?: string }): Promise<number>
  /** To be called when a web app was uninstalled: ends the clients linked to it. @returns how many */
  onWebappUninstalled(instance: Instance, slug: string): Promise<number>
  /**
   * Ends the tokens of every client, or of the flagship app's alone; their registrations stay.
   * @returns of how many clients
   */
  revokeGrants(
    instance: Instance,
    reason: string,
    filter?: { readonly flagship?: boolean },
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
   * @param judged - the client as it was looked at: one that has other addresses by now stays as it is (D21)
   */
  certify(
    instance: Instance,
    id: ClientId | string,
    how: Certification,
    judged?: Client,
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
  /** What the client may do by its live grants: scope strings, newest first. */
  scopes(instance: Instance, id: ClientId): Promise<readonly string[]>
}
