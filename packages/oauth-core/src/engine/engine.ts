import type { Context } from 'koa'
import type { Client, ClientId } from '../clients/client.ts'
import type { Instance } from '@svc/platform'
import type { UseStamp } from './last-use.ts'

/** What an authorization code stands for. @see oauth.md 5.8 */
export interface CodeRequest {
  readonly client: Client
  readonly redirectUri: string
  readonly scope: string
  /** S256 challenge. */
  readonly codeChallenge?: string
  /**
   * When everything ends that comes of the code: milliseconds since the epoch, a whole second, so that no token of the
   * grant is ever good for no time at all.
   */
  readonly endsAt?: number
}

/** What the engine answered, before the bridge made it ours. */
export interface EngineAnswer {
  readonly status: number
  /** Parsed JSON, or undefined when the body was empty. */
  readonly body: Record<string, unknown> | undefined
}

/** What a token request is answered. @see oauth.md 6.3 */
export interface TokenAnswer {
  readonly access_token: string
  readonly token_type: 'bearer'
  /** Seconds. */
  readonly expires_in: number
  readonly refresh_token: string
  readonly scope: string
}

/** A live grant: what the owner allowed a client once. */
export interface Grant {
  readonly id: string
  readonly clientId: ClientId
  readonly scope: string
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  /** Milliseconds since the epoch; absent: until it is revoked. */
  readonly endsAt?: number
}

/**
 * The rest of the package's view of oidc-provider: the only door to it.
 * @see oauth.md 13, decisions D7, D8, D69
 */
export interface Engine {
  /** Runs the native registration with metadata that has been checked. The answer still holds native members. */
  register(
    ctx: Context,
    instance: Instance,
    metadata: Readonly<Record<string, unknown>>,
  ): Promise<EngineAnswer>
  /**
   * Runs one of the native management routes with the request's registration access token. A lost race against
   * another writer is answered 409 `conflict`. DELETE ends everything the client holds.
   */
  manage(
    ctx: Context,
    instance: Instance,
    request: {
      readonly method: 'GET' | 'PUT' | 'DELETE'
      readonly clientId: string
      readonly body?: Readonly<Record<string, unknown>>
      /** PUT: replaces the secret by a new one, which the answer holds. */
      readonly renewSecret?: boolean
    },
  ): Promise<EngineAnswer>
  /** `POST /auth/access_token`, whole: reads `ctx.state.form`, writes the answer (oauth.md 6). */
  token(ctx: Context, instance: Instance): Promise<void>
  /**
   * The client that a form request authenticates as, by its body or HTTP Basic; wrong secrets are counted as at the
   * token endpoint. @throws OAuthError `invalid_request` without an identifier, else 401 `invalid_client`
   */
  authenticateClient(ctx: Context, instance: Instance): Promise<Client>
  /**
   * Mints a grant and its one-time code. @throws OAuthError 400 `invalid_client` when the client is gone
   */
  mintCode(instance: Instance, request: CodeRequest): Promise<string>
  /**
   * Makes a grant with its tokens, without a code: for a client whose owner just logged in with it (oauth.md 7.3).
   * Undefined when the client is gone. `admit` is asked once the grant is stored, so that whoever ends grants meanwhile
   * either finds it or is seen; when it rejects, the grant ends.
   */
  issueTokens(
    instance: Instance,
    request: {
      readonly client: Client
      readonly scope: string
      readonly admit?: () => Promise<void>
    },
  ): Promise<TokenAnswer | undefined>
  /** The live grant, or undefined. */
  findGrant(instance: Instance, grantId: string): Promise<Grant | undefined>
  /** Live grants of a client, newest first. */
  listGrants(instance: Instance, clientId: ClientId): Promise<readonly Grant[]>
  /** Ends a grant with its codes and refresh tokens, here and in other processes; access tokens of it are refused within 1 s. */
  revokeGrant(instance: Instance, grantId: string, reason: string): Promise<void>
  /** Ends every grant of a client. */
  revokeGrants(instance: Instance, clientId: ClientId, reason: string): Promise<void>
  /**
   * Ends all that a client holds: grants, codes, refresh tokens, registration token. To be called after its record
   * was removed, before that is answered.
   */
  forgetClient(instance: Instance, clientId: ClientId, reason: string): Promise<void>
  /** When each client last got tokens; those that never did are absent. Milliseconds since the epoch. At most 100. */
  lastRefreshed(
    instance: Instance,
    clientIds: readonly ClientId[],
  ): Promise<ReadonlyMap<ClientId, number>>
  /** Notes that a token of the client was used. Cheap: gathered, and written at most once a minute and client. */
  noteUse(instance: Instance, clientId: ClientId, from: string): void
  /** When each client last used or got a token, and from where; those that never did are absent. At most 100. */
  lastUsed(
    instance: Instance,
    clientIds: readonly ClientId[],
  ): Promise<ReadonlyMap<ClientId, UseStamp>>
  /** Grant of a live refresh token of the client, or undefined; for `POST /auth/revoke`. */
  findRefreshGrant(instance: Instance, refreshToken: string): Promise<Grant | undefined>
  /** Whether the registration access token is that client's. */
  isRegistrationToken(instance: Instance, clientId: ClientId, token: string): Promise<boolean>
  /** Writes coalesced stamps and stops timers. */
  close(): Promise<void>
}
