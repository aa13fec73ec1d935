import type { Store } from '@svc/store'
import type { Context, Middleware } from 'koa'
import type { RevocableKind, RevocationListener, Revocations } from './events/revocations.ts'
import type { HttpError } from './http/http-error.ts'
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
  /** Mounts the routes of a package. */
  mount(rows: readonly RouteRow[], environment?: Partial<RouterEnvironment>): Middleware
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
