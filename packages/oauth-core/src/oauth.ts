import type { IncomingMessage } from 'node:http'
import type { Context, Middleware } from 'koa'
import type { AccessContext } from './access/access-context.ts'
import type { Authenticated, NodeGuard, Refused } from './access/authenticate-request.ts'
import type { Assistants } from './assistants/assistants.ts'
import type { Moves } from './authorize/moves.ts'
import type { ClientService } from './registration/client-service.ts'
import type { Instance, Platform, KnownRequest, RequestLike, RouteRow } from '@svc/platform'
import type {
  AppManifest,
  AppRegistry,
  AuthorizePages,
  OAuthEvents,
  OwnerSessions,
  TellAccessEnding,
} from './ports.ts'
import type { Resource, ResourceOptions } from './resources/resources.ts'
import type { Permission, Verb } from './scopes/permission.ts'
import type { ResourceAccess, TokenAccess } from './access/access-context.ts'
import type { AppTokens } from './tokens/app-token.ts'
import type { KonnectorTokens } from './access/konnector-token.ts'

/** What `createOAuth` answers: middleware to mount, and the host's side of everything it knows. */
export interface OAuth extends Platform {
  /** The package's endpoints. @throws TypeError before {@link OAuth.useSessions} */
  routes(options: { readonly pages: AuthorizePages }): Middleware
  /** Lets a request pass whose token has a rule for the verb and the type; sets `ctx.state.access` (D65). */
  guard(rule: { readonly verb: Verb; readonly type: string }): Middleware
  /**
   * The guard for any framework: what {@link OAuth.guard} would do with a request, as a value. Never throws for what a
   * client did; a store that is away is a refusal. An app's token needs the cookies of the request.
   * @param request - of Node, of the web, or the headers of one; the instance comes from its `Host`
   * @param rule - absent: anybody with a token
   * @example
   * const seen = await oauth.authenticateRequest(request, { verb: 'GET', type: 'io.example.recipes' })
   * if (!seen.ok) return refusalResponse(seen)
   */
  authenticateRequest(
    request: RequestLike,
    rule?: { readonly verb: Verb; readonly type: string },
  ): Promise<Authenticated | Refused>
  /** The guard as a middleware `(req, res, next)`; {@link OAuth.requestOf} then says who calls. */
  nodeGuard(rule: { readonly verb: Verb; readonly type: string }): NodeGuard
  requestOf(request: IncomingMessage): KnownRequest<AccessContext> | undefined
  /** What takes tokens of its own. Nothing about resources exists before the first one. @see assistants.md 1.1 */
  readonly resources: {
    /** @throws TypeError for a path that is taken or no path, or a scope that cannot be offered */
    add(resource: ResourceOptions): Resource
  }
  /**
   * Lets a request pass whose token is of this resource; sets `ctx.state.access` to a {@link ResourceAccess}. The handler
   * asks `access.allows`, and {@link OAuth.stepUp} what to answer when it says no.
   */
  resourceGuard(resource: Resource): Middleware
  /**
   * The challenge for a caller that needs more than it has: the value of `WWW-Authenticate` of a 403. Undefined when it
   * was told so often that it is not to be told again.
   */
  stepUp(
    resource: Resource,
    instance: Instance,
    access: Pick<ResourceAccess, 'client' | 'granted' | 'grantId'>,
    needs: readonly Permission[],
  ): Promise<string | undefined>
  /** Who is logged in (D49). Once, before `routes`. */
  useSessions(sessions: OwnerSessions): void
  /**
   * Who tells owners, three days before, that something a client may do ends by itself. Once, before `start`; without
   * it nobody is told.
   */
  tellAccessEndings(tell: TellAccessEnding): void
  /**
   * Sets the public key that browsers subscribe to web pushes with. Subscriptions made with another key are not
   * notified: their push service would refuse it.
   */
  useWebPushKey(publicKey: string): void
  /**
   * For routes of other packages: verifies the request's bearer as the guard does and sets `ctx.state.access`,
   * without asking for a permission. @throws OAuthError `missing_token`, `invalid_token`
   */
  authenticate(ctx: Context): Promise<void>
  /**
   * Who a token speaks for that came some other way than in a header, such as over a websocket. `ctx` stands for the
   * request that opened the connection, behind `resolveInstance`: an app's token needs its session. Tokens of
   * registrations, refreshes and shares are refused. @throws OAuthError `invalid_token`
   */
  authenticateToken(ctx: Context, token: string): Promise<TokenAccess>
  /** The routes of {@link OAuth.routes}, for documents and tests. */
  readonly rows: readonly RouteRow[]
  readonly clients: ClientService
  /** What clients of resources did, for the packages that have the resources and for the owner's settings. */
  readonly assistants: Assistants
  readonly appTokens: AppTokens
  /** Moving to another server, for the package that proves the owner. */
  readonly moves: Moves
  readonly konnectorTokens: KonnectorTokens
  /** The host's apps, and those of {@link OAuth.useBuiltInApp}. */
  readonly apps: AppRegistry
  /**
   * An app that every instance has, unless the host's registry has one of its slug. Before requests come.
   * @throws TypeError when another package brought one of its slug
   */
  useBuiltInApp(app: AppManifest): void
  on<Name extends keyof OAuthEvents>(
    name: Name,
    handler: (event: OAuthEvents[Name]) => void,
  ): () => void
  /**
   * Proves that the keys open what is stored, then starts timers (clean-up of pending clients). Idempotent.
   * @throws SealingKeyError
   */
  start(): Promise<void>
  /** Stops timers and writes coalesced stamps. The store is the caller's. */
  close(): Promise<void>
}
