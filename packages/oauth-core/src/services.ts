import {
  type ActivityLog,
  type Emitter,
  type Instances,
  type Keyring,
  type RateLimits,
  type Revocations,
  type RouteRow,
  type Sealer,
  viewOf,
} from '@svc/platform'
import type { Store } from '@svc/store'
import type { Context } from 'koa'
import type { CallLog } from './assistants/call-log.ts'
import type { AccessCaches } from './access/caller.ts'
import type { FlagshipConfig } from './certification/attestation-config.ts'
import type { ClientStore } from './clients/client-store.ts'
import type { Engine } from './engine/engine.ts'
import type { Lifetimes } from './lifetimes.ts'
import type { OAuthBucket, ResolvedOptions } from './options.ts'
import type {
  AppRegistry,
  AuthorizePages,
  KonnectorRegistry,
  OAuthEvents,
  OwnerSession,
  OwnerSessions,
  TellAccessEnding,
} from './ports.ts'
import type { Resources } from './resources/resources.ts'
import type { ForbiddenScopes } from './scopes/forbidden.ts'
import type { OAuthLog } from './log/log-events.ts'

/** What the package is made of. `createOAuth` alone puts it together; functions take it, or the part they need. */
export interface OAuthServices {
  readonly store: Store
  readonly clock: { now(): number }
  readonly log: OAuthLog
  /** Prefix of doctypes (D20). */
  readonly namespace: string
  readonly keyring: Keyring
  readonly sealer: Sealer
  readonly instances: Pick<Instances, 'byHost' | 'byId'>
  /** Notes what happens for the owner. */
  readonly activity: ActivityLog
  /** Notifies every process that something ended. */
  readonly revocations: Revocations
  /** Emits what happened, in this process. */
  readonly emitter: Emitter<OAuthEvents>
  readonly limits: RateLimits<OAuthBucket>
  /** Client address of a request, by the trusted-proxy setting. */
  readonly clientAddress: (ctx: Context) => string
  readonly lifetimes: Lifetimes
  readonly apps: AppRegistry
  /** Undefined: there are none. */
  readonly konnectors: KonnectorRegistry | undefined
  readonly flagship: FlagshipConfig
  /** What the host decided about authorizations. */
  readonly options: Pick<
    ResolvedOptions,
    'assistants' | 'consent' | 'deprecatedApps' | 'requirePkce' | 'scopePolicy' | 'sharings'
  >
  readonly forbidden: ForbiddenScopes
  /** What takes tokens of its own; embedding servers register it. */
  readonly resources: Resources
  /** What clients of resources did. */
  readonly calls: CallLog
  readonly clients: ClientStore
  readonly engine: Engine
  readonly accessCaches: AccessCaches
  /** What comes after assembly: sessions with `useSessions` (D49), pages with `routes`, who tells owners. */
  readonly given: {
    readonly sessions?: OwnerSessions
    readonly pages?: AuthorizePages
    readonly tellAccessEnding?: TellAccessEnding
  }
  /** The mounted routes of the package. */
  readonly rows: readonly RouteRow[]
}

/** @throws TypeError before `oauth.routes` */
export function pagesOf({ given: { pages } }: Pick<OAuthServices, 'given'>): AuthorizePages {
  if (pages === undefined) throw new TypeError('routes() has to be called before requests come')
  return pages
}

/** Who is logged in with a request. @throws TypeError before `oauth.useSessions` */
export function sessionOf(
  ctx: Context,
  services: Pick<OAuthServices, 'clientAddress' | 'given'>,
): Promise<OwnerSession | undefined> {
  return sessionsOf(services).current(viewOf(ctx, services.clientAddress))
}

/** @throws TypeError before `oauth.useSessions` */
export function sessionsOf({ given: { sessions } }: Pick<OAuthServices, 'given'>): OwnerSessions {
  if (sessions === undefined) {
    throw new TypeError('useSessions() has to be called before requests come')
  }
  return sessions
}
