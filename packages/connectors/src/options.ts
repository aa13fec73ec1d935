import { type OAuth } from '@svc/oauth-core'
import {
  createOutbound,
  DAY_MS,
  type EventSink,
  isSlug,
  type Logger,
  type Outbound,
  type RateLimit,
  versionedStore,
} from '@svc/platform'
import {
  cidrs,
  defineOptions,
  flag,
  lifetimes,
  type NumberRange,
  oneOf,
  type OptionsDefinition,
  type OptionsFor,
  port,
  rateLimits,
  type Settled,
  text,
} from '@svc/platform/options'
import type { AccountTypes } from './account-types/account-type.ts'
import { createStoredAccounts, type StoredAccounts } from './accounts/account-store.ts'
import { DEFAULT_LIFETIMES, type Lifetimes } from './lifetimes.ts'
import { type ConnectorsBucket, DEFAULT_LIMITS } from './limits.ts'
import type { AccountStore, ConnectorManifests, OwnerLogins } from './ports.ts'
import { connectorsRecords } from './records.ts'

/** What `createConnectors` needs. @see connectors.md 14 */
export interface ConnectorsOptions {
  /** What `createOAuth` made: instances, keys, the store. */
  readonly oauth: OAuth
  /** Where accounts are kept. @defaultValue accounts are kept in the store of `oauth`, and go with their instance */
  readonly accounts?: AccountStore
  /** Who is logged in: `ui.sessions` of `@svc/auth-ui`. */
  readonly sessions: OwnerLogins
  /** Providers and how they are talked to. @defaultValue those of the store of `oauth` */
  readonly accountTypes?: AccountTypes
  /** What connectors say about themselves. @defaultValue no manifests are known: scopes come from the query alone */
  readonly manifests?: ConnectorManifests
  /** Tells apps what happened to accounts. @defaultValue nobody is told */
  readonly events?: EventSink
  /** The app that owners come back to. @defaultValue `home` */
  readonly homeSlug?: string
  /**
   * One origin for the answers of all providers, such as `https://oauth.example.org`: then the default origin of
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
  /** Milliseconds, instead of single defaults; 1 to 30 days each, `call` and `connect` to one day. */
  readonly lifetimes?: Partial<Lifetimes>
  /** Instead of single defaults. */
  readonly limits?: Partial<Readonly<Record<ConnectorsBucket, RateLimit>>>
  /** Takes lines for the operator. @defaultValue that of `oauth` */
  readonly log?: Logger
}

/** What the definition makes of the options. */
interface SettledOptions
  extends Settled<
    ConnectorsOptions,
    'accountTypes' | 'accounts' | 'callbackUrl' | 'events' | 'manifests'
  > {
  readonly lifetimes: Lifetimes
  readonly limits: Readonly<Record<ConnectorsBucket, RateLimit>>
}

/** Options with nothing left open, and what is made of them. */
export interface ResolvedOptions extends SettledOptions {
  readonly accounts: AccountStore
  /** The same, where the host keeps none of its own. */
  readonly storedAccounts: StoredAccounts | undefined
  /** The one way to providers. */
  readonly outbound: Outbound
}

const LONGEST: NumberRange = { least: 1, most: 30 * DAY_MS }
/** A timer stands behind them; those of the platform end at once when they are to last for 25 days. */
const TIMED: NumberRange = { least: 1, most: DAY_MS }

export const CONNECTORS_OPTIONS: OptionsDefinition<SettledOptions> = defineOptions({
  oauth: port<OAuth>(['mount', 'authenticate', 'clientAddress']),
  accounts: port<AccountStore>(['get', 'create', 'update', 'delete', 'list']).optional(
    'kept in the store of `oauth`; they go with their instance',
  ),
  sessions: port<OwnerLogins>(['current', 'admit']),
  accountTypes: port<AccountTypes>(['get', 'getRaw', 'findBySlug'], ['rotateKeys']).optional(
    'those of the store of `oauth`',
  ),
  manifests: port<ConnectorManifests>(['manifestOf']).optional(
    'none are known: scopes come from the query alone',
  ),
  events: port<EventSink>(['publish']).optional('nobody is told'),
  homeSlug: text('a slug', isSlug).or('home'),
  callbackUrl: text('an origin, such as https://oauth.example.org', isWebOrigin).optional(
    'answers come to the instances',
  ),
  trustedNetworks: cidrs().or([], 'none'),
  autoRefresh: flag().or(true),
  browserBinding: oneOf(['on', 'off']).or('on'),
  exposeRefreshToken: flag().or(false),
  allowClientSideExchange: flag().or(false),
  enforceManifestScope: flag().or(false),
  lifetimes: lifetimes(DEFAULT_LIFETIMES, LONGEST, {
    answer: TIMED,
    call: TIMED,
    connect: TIMED,
    lookup: TIMED,
  }).that(
    // D38: whoever waits must see that the holder of a lock died.
    ({ refreshLock, refreshWait }) =>
      refreshWait > refreshLock ? undefined : { refreshWait: 'must be longer than refreshLock' },
  ),
  limits: rateLimits(DEFAULT_LIMITS),
  log: port<Logger>(['info', 'warn', 'error']).orFrom(
    ({ oauth }: ConnectorsOptions) => oauth.log,
    'that of `oauth`',
  ),
} satisfies OptionsFor<ConnectorsOptions>)

/** @throws TypeError listing every fault with its path */
export function resolveOptions(options: ConnectorsOptions): ResolvedOptions {
  const settled = CONNECTORS_OPTIONS.settle(options)
  const { oauth, trustedNetworks, lifetimes: times, log } = settled
  const outbound = createOutbound({
    trustedNetworks,
    log,
    connectMs: times.connect,
    totalMs: times.call,
  })
  if (settled.accounts !== undefined) {
    return { ...settled, accounts: settled.accounts, storedAccounts: undefined, outbound }
  }
  const storedAccounts = createStoredAccounts(
    versionedStore(oauth.store, connectorsRecords(oauth.namespace), log),
  )
  return { ...settled, accounts: storedAccounts, storedAccounts, outbound }
}

function isWebOrigin(origin: string): boolean {
  const url = URL.parse(origin)
  return url !== null && url.origin === origin && /^https?:$/.test(url.protocol)
}
