import {
  createOutbound,
  isSlug,
  type Logger,
  type OAuth,
  type Outbound,
  type RateLimit,
} from '@svc/oauth-core'
import type { AccountTypes } from './account-types/account-type.ts'
import { createStoredAccounts, type StoredAccounts } from './accounts/stored-accounts.ts'
import { DEFAULT_LIFETIMES, type Lifetimes } from './lifetimes.ts'
import { type ConnectorsBucket, DEFAULT_LIMITS } from './limits.ts'
import { createFaults } from './option-faults.ts'
import type { AccountStore, ConnectorManifests, EventSink, OwnerLogins } from './ports.ts'

/** What `createConnectors` needs. @see connectors.md 14 */
export interface ConnectorsOptions {
  readonly oauth: OAuth
  /** @defaultValue accounts are kept in the store of `oauth`, and go with their instance */
  readonly accounts?: AccountStore
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
  /** @defaultValue that of `oauth` */
  readonly log?: Logger
}

/** Options with nothing left open; what has no default may be undefined. */
export interface ResolvedOptions {
  readonly oauth: OAuth
  readonly accounts: AccountStore
  /** The same, where the host keeps none of its own. */
  readonly storedAccounts: StoredAccounts | undefined
  readonly sessions: OwnerLogins
  readonly accountTypes: AccountTypes | undefined
  readonly manifests: ConnectorManifests | undefined
  readonly events: EventSink | undefined
  readonly homeSlug: string
  readonly callbackUrl: string | undefined
  readonly trustedNetworks: readonly string[]
  /** The one way to providers. */
  readonly outbound: Outbound
  readonly autoRefresh: boolean
  readonly browserBinding: 'on' | 'off'
  readonly exposeRefreshToken: boolean
  readonly allowClientSideExchange: boolean
  readonly enforceManifestScope: boolean
  readonly lifetimes: Lifetimes
  readonly limits: Readonly<Record<ConnectorsBucket, RateLimit>>
  readonly log: Logger
}

const NAMES = [
  'accountTypes',
  'accounts',
  'allowClientSideExchange',
  'autoRefresh',
  'browserBinding',
  'callbackUrl',
  'enforceManifestScope',
  'events',
  'exposeRefreshToken',
  'homeSlug',
  'lifetimes',
  'limits',
  'log',
  'manifests',
  'oauth',
  'sessions',
  'trustedNetworks',
] as const satisfies readonly (keyof ConnectorsOptions)[]
const FLAGS = [
  'allowClientSideExchange',
  'autoRefresh',
  'enforceManifestScope',
  'exposeRefreshToken',
] as const
const ACCOUNT_METHODS = ['get', 'create', 'update', 'delete', 'list']
const DAY_MS = 86_400_000
const LONGEST_MS = 30 * DAY_MS
/** A timer stands behind them; those of the platform end at once when they are to last for 25 days. */
const TIMED: ReadonlySet<string> = new Set<keyof Lifetimes>(['answer', 'call', 'connect', 'lookup'])
const MAX_COUNT = 1_000_000_000

/** @throws TypeError listing every fault with its path */
export function resolveOptions(options: ConnectorsOptions): ResolvedOptions {
  if (typeof options !== 'object' || options === null)
    throw new TypeError('options must be an object')
  // Callers without types exist: what is here may be anything.
  const given = { ...(options as unknown as Readonly<Record<string, unknown>>) }
  const faults = createFaults()
  for (const name of Object.keys(given)) {
    if (!(NAMES as readonly string[]).includes(name)) faults.add(name, 'is not an option')
  }
  faults.methods('oauth', given['oauth'], ['mount', 'authenticate', 'clientAddress'])
  faults.optionalMethods('accounts', given['accounts'], ACCOUNT_METHODS)
  faults.methods('sessions', given['sessions'], ['current', 'admit'])
  faults.optionalMethods('accountTypes', given['accountTypes'], ['get', 'getRaw', 'findBySlug'])
  faults.optionalMethods('manifests', given['manifests'], ['manifestOf'])
  faults.optionalMethods('events', given['events'], ['publish'])
  faults.optionalMethods('log', given['log'], ['info', 'warn', 'error'])
  for (const name of FLAGS) {
    if (!['boolean', 'undefined'].includes(typeof given[name])) {
      faults.add(name, 'must be true or false')
    }
  }
  const { homeSlug = 'home', browserBinding = 'on', callbackUrl, trustedNetworks = [] } = options
  if (typeof homeSlug !== 'string' || !isSlug(homeSlug)) faults.add('homeSlug', 'must be a slug')
  if (browserBinding !== 'on' && browserBinding !== 'off') {
    faults.add('browserBinding', 'must be "on" or "off"')
  }
  if (callbackUrl !== undefined && !isWebOrigin(callbackUrl)) {
    faults.add('callbackUrl', 'must be an origin, such as https://oauth.example.org')
  }
  const lifetimes = { ...DEFAULT_LIFETIMES, ...options.lifetimes }
  for (const [name, value] of Object.entries(lifetimes)) {
    if (!Object.hasOwn(DEFAULT_LIFETIMES, name)) faults.add(`lifetimes.${name}`, 'is not an option')
    else faults.integer(`lifetimes.${name}`, value, 1, TIMED.has(name) ? DAY_MS : LONGEST_MS)
  }
  // D38: whoever waits must see that the holder of a lock died.
  if (lifetimes.refreshWait <= lifetimes.refreshLock) {
    faults.add('lifetimes.refreshWait', 'must be longer than lifetimes.refreshLock')
  }
  const limits = { ...DEFAULT_LIMITS, ...options.limits }
  for (const [name, value] of Object.entries(limits)) {
    if (!Object.hasOwn(DEFAULT_LIMITS, name)) {
      faults.add(`limits.${name}`, 'is not an option')
      continue
    }
    faults.integer(`limits.${name}.limit`, value?.limit, 1, MAX_COUNT)
    faults.integer(`limits.${name}.windowMs`, value?.windowMs, 1000, LONGEST_MS)
  }
  const log = options.log ?? options.oauth?.log
  const outbound = faults.attempt('trustedNetworks', () =>
    createOutbound({
      ...{ trustedNetworks, log },
      connectMs: lifetimes.connect,
      totalMs: lifetimes.call,
    }),
  )
  faults.report()
  const stored =
    options.accounts === undefined ? createStoredAccounts(options.oauth.store) : undefined
  return {
    oauth: options.oauth,
    // One of the two is there.
    accounts: (options.accounts ?? stored) as AccountStore,
    storedAccounts: stored,
    sessions: options.sessions,
    accountTypes: options.accountTypes,
    manifests: options.manifests,
    events: options.events,
    ...{ homeSlug, callbackUrl, trustedNetworks, browserBinding, lifetimes, limits, log },
    // No fault was reported.
    outbound: outbound as Outbound,
    autoRefresh: options.autoRefresh ?? true,
    exposeRefreshToken: options.exposeRefreshToken ?? false,
    allowClientSideExchange: options.allowClientSideExchange ?? false,
    enforceManifestScope: options.enforceManifestScope ?? false,
  }
}

function isWebOrigin(text: unknown): boolean {
  const url = typeof text === 'string' ? URL.parse(text) : null
  return url !== null && url.origin === text && /^https?:$/.test(url.protocol)
}
