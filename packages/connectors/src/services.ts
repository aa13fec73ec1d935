import type { OAuth } from '@svc/oauth-core'
import type { EventSink, Instances, Outbound, RateLimits, Sealer } from '@svc/platform'
import type { Clock, Store } from '@svc/store'
import type { LRUCache } from 'lru-cache'
import type { AccountTypes } from './account-types/account-type.ts'
import type { RefreshOutcome } from './accounts/refresh-state.ts'
import type { Lifetimes } from './lifetimes.ts'
import type { ConnectorsBucket } from './limits.ts'
import type { ResolvedOptions } from './options.ts'
import type { AccountStore, ConnectorEvents, ConnectorManifests, OwnerLogins } from './ports.ts'
import type { AskedIssuer, CallClass } from './token-client/provider.ts'
import type { ConnectorsLog } from './log/log-events.ts'

/** What the package is made of. Assembled by `createConnectors` alone; rules and handlers name the part they need. */
export interface ConnectorsServices {
  /** Who calls, from where, which apps there are, and what is noted for the owner. */
  readonly oauth: Pick<OAuth, 'activity' | 'apps' | 'authenticate' | 'clientAddress'>
  readonly instances: Instances
  /** Prefix of doctypes (D20). */
  readonly namespace: string
  readonly store: Store
  readonly clock: Clock
  readonly log: ConnectorsLog
  readonly sealer: Pick<Sealer, 'derive'>
  readonly limits: RateLimits<ConnectorsBucket>
  readonly lifetimes: Lifetimes
  /** What the operator chose. */
  readonly options: Pick<
    ResolvedOptions,
    | 'allowClientSideExchange'
    | 'autoRefresh'
    | 'browserBinding'
    | 'callbackUrl'
    | 'enforceManifestScope'
    | 'exposeRefreshToken'
    | 'homeSlug'
  >
  readonly accounts: AccountStore
  readonly accountTypes: AccountTypes
  readonly sessions: OwnerLogins
  /** Undefined: no manifests are known. */
  readonly manifests: ConnectorManifests | undefined
  /** Undefined: nobody is told of changes. */
  readonly events: EventSink | undefined
  /** Tells the package's listeners; handlers that throw are the emitter's business. */
  readonly emit: <Name extends keyof ConnectorEvents>(
    name: Name,
    event: ConnectorEvents[Name],
  ) => void
  /** The one way to providers. */
  readonly outbound: Outbound
  /** What is known of issuers in this process. */
  readonly issuers: LRUCache<string, AskedIssuer>
  /** How calls to providers ended in this process, by id of the account type. */
  readonly calls: Map<string, Map<CallClass, number>>
  /** Refreshes under way in this process, by instance and account. */
  readonly refreshes: Map<string, Promise<RefreshOutcome>>
  /** Accounts that this process is deleting, by instance and account: the host's hook tells of them too. */
  readonly deletions: Set<string>
}

/** What calls to providers need. */
export type ProviderServices = Pick<
  ConnectorsServices,
  'calls' | 'clock' | 'issuers' | 'lifetimes' | 'log' | 'outbound'
>
