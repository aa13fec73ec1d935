import type { Logger, OAuth, RateLimit } from '@svc/oauth-core'
import type { AccountTypes } from './account-types/account-type.ts'
import type { Lifetimes } from './lifetimes.ts'
import type { ConnectorsBucket } from './limits.ts'
import type { AccountStore, ConnectorManifests, EventSink, OwnerLogins } from './ports.ts'

/** What `createConnectors` needs. @see connectors.md 14 */
export interface ConnectorsOptions {
  readonly oauth: OAuth
  readonly accounts: AccountStore
  readonly sessions: OwnerLogins
  /** @defaultValue those of the store of `oauth` */
  readonly accountTypes?: AccountTypes
  /** @defaultValue no manifests are known: scopes come from the query alone */
  readonly manifests?: ConnectorManifests
  /** @defaultValue nobody is told */
  readonly events?: EventSink
  /** The app that owners come back to. @defaultValue `home` */
  readonly homeSlug?: string
  /**
   * One address for the answers of all providers, such as `https://oauth.example.org`: then the default origin of
   * `redirect_uri`. @defaultValue answers come to the instances
   */
  readonly callbackUrl?: string
  /** CIDRs that types with `trusted_network` may use, plain http included. @defaultValue none */
  readonly trustedNetworks?: readonly string[]
  /** Whether tokens are refreshed ahead of their end. @defaultValue `true` */
  readonly autoRefresh?: boolean
  /** `off`: an answer counts in any browser. @defaultValue `on` */
  readonly browserBinding?: 'on' | 'off'
  /** Whether connectors get refresh tokens. @defaultValue `false` */
  readonly exposeRefreshToken?: boolean
  /** Whether types without token endpoint work (D38): their client secret goes to the connector. @defaultValue `false` */
  readonly allowClientSideExchange?: boolean
  /** Whether a scope beyond the connector's manifest is refused. @defaultValue `false` */
  readonly enforceManifestScope?: boolean
  /** Milliseconds, instead of single defaults. */
  readonly lifetimes?: Partial<Lifetimes>
  /** Instead of single defaults. */
  readonly limits?: Partial<Readonly<Record<ConnectorsBucket, RateLimit>>>
  /** @defaultValue that of `oauth` */
  readonly log?: Logger
}
