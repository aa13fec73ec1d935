import type { IncomingMessage } from 'node:http'
import type { Store } from '@svc/store'
import type { Context, Middleware } from 'koa'
import type { RevocableKind, RevocationListener, Revocations } from './events/revocations.ts'
import type { RequestLike } from './http/detached-context.ts'
import type { HandlerOptions, RequestHandler } from './http/handler.ts'
import type { HttpError } from './http/http-error.ts'
import type { RequestView } from './http/request-view.ts'
import type { KnownRequest, Requests } from './http/requests.ts'
import type { RouterEnvironment } from './http/router.ts'
import type { RouteRow } from './http/route.ts'
import type { Instance } from './instances/instance.ts'
import type { Instances } from './instances/instances.ts'
import type { Keyring } from './keys/keyring.ts'
import type { Sealer } from './keys/sealer.ts'
import type { Logger } from './log/logger.ts'
import type { ActivityLog } from './ports/activity-log.ts'
import type { RecordRegistry } from './records/record-registry.ts'
import type { InstanceTransfer } from './transfer/instance-transfer.ts'

/** What every endpoint stands on: instances, keys, routes, and who hears that something ended. */
export interface Platform {
  /** First middleware: Host to `ctx.state.instance` and `ctx.state.appSlug`; 404 for unknown hosts, 503 for blocked instances. */
  resolveInstance(): Middleware
  /**
   * The packages in front of any framework: a listener for `createServer`, which answers the paths of the interface on the
   * hosts of instances and lets everything else go on untouched.
   * @throws TypeError for what is not the routes of a package, and for a path that two of them claim
   * @example createServer(oauth.handler({ routes: [ui.routes(), oauth.routes({ pages: ui.pages })], next: app.callback() }))
   */
  handler(options: HandlerOptions): RequestHandler
  /** What is known of a request behind the handler or a guard; undefined for hosts that no instance has. */
  requestOf(request: IncomingMessage): KnownRequest | undefined
  /**
   * A request as sessions see it, of whatever framework; undefined for a host that no instance has, or whose instance is
   * out of service. The instance comes from `Host`, never from a forwarded one.
   * @throws StoreUnavailableError
   */
  view(request: RequestLike): Promise<RequestView | undefined>
  /** Whether a request names the host of an instance or of an app; false only for a host that nobody has. */
  hasHost(request: RequestLike): Promise<boolean>
  /** Mounts the routes of a package. */
  mount(rows: readonly RouteRow[], environment?: Partial<RouterEnvironment>): Middleware
  /** Whether a mounted route has the path, whatever its method. Routes outside of `mount` are unknown here. */
  isMounted(path: string): boolean
  /** Notes what happens for the owner; it does nothing until somebody keeps a record. */
  readonly activity: ActivityLog
  /** Who keeps the record of activity. */
  useActivity(log: ActivityLog): void
  /** Has routes that store something new refused while this says so. @see operation.md 8.4 */
  useSpace(isLow: () => boolean): void
  /**
   * Hears of clients, grants, sessions, apps and instances that ended or changed, in every process, within moments.
   * @returns what ends the listening
   */
  onRevoked(listener: RevocationListener): () => void
  /**
   * Tells every process that something ended, after the write that ended it. For sessions and apps, whose records are
   * kept elsewhere. Never rejects.
   */
  revoked(instance: Instance, kind: RevocableKind, ids: readonly string[]): Promise<void>
  readonly instances: Instances
  readonly keyring: Keyring
  readonly sealer: Sealer
  readonly store: Store
  /** What is kept in the store; a host declares its own kinds here, before anything reads them. */
  readonly records: RecordRegistry
  /** Carrying instances to other servers, and taking them in. */
  readonly transfer: InstanceTransfer
  readonly clock: { now(): number }
  readonly log: Logger
  /** Prefix of doctypes, `io.svc` by default (D20). */
  readonly namespace: string
  /** Client address of a request, by the trusted-proxy setting; IPv6 as its /64. For rate limits. */
  clientAddress(ctx: Context): string
}

/** The platform as the package that makes it holds it. */
export interface OwnPlatform extends Platform {
  readonly requests: Requests
  readonly revocations: Revocations
  /** Who renders errors of requests that no route was found for. */
  useErrorPage(page: (ctx: Context, error: HttpError) => Promise<void>): void
  /**
   * Proves the sealing keys, then goes on with removals of instances that were cut short.
   * @throws SealingKeyError before anything is written
   */
  start(): Promise<void>
  /** Ends timers and subscriptions. The store is the caller's. */
  close(): Promise<void>
}
