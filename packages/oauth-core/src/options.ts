import {
  DAY_MS,
  HOUR_MS,
  type Logger,
  MINUTE_MS,
  type Outbound,
  type RateLimit,
  type RouteContext,
  type SealingKey,
  sealingKeysOption,
  SECOND_MS,
  type Subdomains,
} from '@svc/platform'
import {
  defineOptions,
  either,
  flag,
  func,
  group,
  integer,
  lifetimes,
  list,
  oneOf,
  type OptionsDefinition,
  type OptionsFor,
  port,
  type Problem,
  rateLimits,
  type Settled,
  text,
} from '@svc/platform/options'
import { type Clock, type Store, systemClock } from '@svc/store'
import { ASSISTANT_DURATIONS } from './authorize/consent-durations.ts'
import { type DeprecatedApp, deprecatedApps } from './authorize/deprecated-apps.ts'
import { NO_SHARINGS, type Sharings } from './authorize/sharings.ts'
import {
  type FlagshipConfig,
  type FlagshipOptions,
  flagshipOptions,
} from './certification/attestation-config.ts'
import { HOST_PATTERN } from './client-documents/client-hosts.ts'
import type { Client } from './clients/client.ts'
import type { ScopePolicy } from './consent-ports.ts'
import { DEFAULT_LIFETIMES, type Lifetimes } from './lifetimes.ts'
import type { AppRegistry, AssistantDuration, KonnectorRegistry } from './ports.ts'
import { isRule } from './scopes/forbidden.ts'
import { TestClock } from './testing/test-clock.ts'

type Func = (...given: never) => unknown

const SILENT: Logger = { info: () => {}, warn: () => {}, error: () => {} }

/** Buckets of this package. @see oauth.md 2.6 */
export type OAuthBucket =
  | 'assistant'
  | 'attestation'
  | 'cimd-instance'
  | 'cimd-keys'
  | 'cimd-process'
  | 'cimd-url'
  | 'confirm-flagship'
  | 'oauth-client'
  | 'refresh'
  | 'step-up'
  | 'token'

/** What {@link createOAuth} is given. Faults are reported at once, each with its path. */
export interface OAuthOptions {
  /** Where everything lives. The caller opens and closes it. */
  readonly store: Store
  /**
   * Which web apps instances have beside those that come with packages.
   * @defaultValue no others
   */
  readonly apps?: AppRegistry
  /**
   * The host's sealing keys (D52): 32 random bytes each. The first seals; keep the others as long as something may
   * be sealed with them.
   */
  readonly keys: readonly SealingKey[]
  /**
   * Prefix of doctypes (D20): lower-case letters, digits and `_` in at least two parts.
   * @defaultValue `io.svc`
   */
  readonly namespace?: string
  /**
   * How app hosts are named; the same for all instances, for good.
   * @defaultValue `nested`
   */
  readonly subdomains?: Subdomains
  /**
   * Whether an instance is reached by https. Decides cookies, HSTS and every address sent out; never a request.
   * @defaultValue true, but for `localhost` and names below it
   * @see decision D53
   */
  readonly isHttps?: (domain: string) => boolean
  /**
   * Trusted proxies in front, 0 to 10: `X-Forwarded-For` and `X-Forwarded-Proto` are read that far from the right.
   * @defaultValue `0`
   */
  readonly trustProxy?: number
  /**
   * Scope rules that no registered client may get.
   * @defaultValue those of `oauth.md` 12.1
   */
  readonly forbiddenScopes?: readonly string[]
  /**
   * What of a request its owner may be asked for at all, after what is forbidden.
   * @defaultValue all of it
   */
  readonly scopePolicy?: ScopePolicy
  /**
   * Whether an authorize request must carry a challenge; `true`: always.
   * @defaultValue `false` (D14)
   */
  readonly requirePkce?: boolean | ((ctx: RouteContext, client: Client) => boolean)
  /**
   * Which apps their platforms may certify; each member has its default.
   * @defaultValue none: only owners certify, by mailed code
   */
  readonly flagship?: FlagshipOptions
  /**
   * Which konnectors instances have.
   * @defaultValue none
   */
  readonly konnectors?: KonnectorRegistry
  /**
   * Apps that can no longer be connected; what they were given goes on working.
   * @defaultValue none
   */
  readonly deprecatedApps?: readonly DeprecatedApp[]
  /**
   * Sharings between owners (oauth.md 5.9).
   * @defaultValue nothing is offered
   */
  readonly sharings?: Sharings
  /** What owners decide beside yes and no when a client asks for access. */
  readonly consent?: {
    /** Whether they may leave out single permissions, and choose for how long. @defaultValue `true` (D42) */
    readonly choose?: boolean
  }
  /** Of clients that ask for a resource; without a registered one nothing of it counts. @see assistants.md 7.1 */
  readonly assistants?: {
    /** Whether clients may register without a secret. @defaultValue `true` */
    readonly registration?: boolean
    /** Whether clients without a secret have to send `state`, beside PKCE. @defaultValue `false` */
    readonly requireState?: boolean
    /** Types that no such client gets, or their beginnings with a `*`. @defaultValue those of `assistants.md` 4.8 */
    readonly reserved?: readonly string[]
    /** The longest that an owner may allow one something; longer choices are not offered. @defaultValue `30d` */
    readonly maxDuration?: AssistantDuration
    /** Hosts whose documents may describe clients: `host`, or `*.host` for those below it. @defaultValue any */
    readonly clientHosts?: readonly string[]
    /** Hosts whose documents may not, whatever else allows them. @defaultValue none */
    readonly clientHostsDenied?: readonly string[]
  }
  /** The way to documents of clients. @defaultValue one that leads to public addresses only */
  readonly outbound?: Outbound
  /** Instead of single {@link DEFAULT_LIFETIMES}. */
  readonly lifetimes?: Partial<Lifetimes>
  /** Instead of single {@link DEFAULT_LIMITS}. */
  readonly limits?: Partial<Readonly<Record<OAuthBucket, RateLimit>>>
  /** Entries kept in process memory. */
  readonly cache?: {
    /** Instance records, 1 to 1_000_000. @defaultValue `1000` */
    readonly instances?: number
    /** Engine objects, about 48 KiB each, 1 to 100_000. @defaultValue `512` */
    readonly engines?: number
    /** Verified tokens, about 1 KiB each, 1 to 10_000_000. @defaultValue `10_000` */
    readonly tokens?: number
  }
  /** Where rules take the time from. @defaultValue the machine's clock */
  readonly clock?: Clock
  /** Takes lines for the operator. @defaultValue says nothing */
  readonly log?: Logger
  /** Lends `@svc/oauth-core/testing` what it needs; only with domains at or below `localhost`. @defaultValue `false` */
  readonly testing?: boolean
}

/** @see oauth.md 2.6 */
export const DEFAULT_LIMITS: Readonly<Record<OAuthBucket, RateLimit>> = {
  /** Clients that documents describe and the owner allows for the first time. */
  assistant: { limit: 10, windowMs: HOUR_MS },
  /** Attestations that use up a challenge of an instance. */
  attestation: { limit: 50, windowMs: HOUR_MS },
  /** Documents of clients that are fetched for an instance. */
  'cimd-instance': { limit: 60, windowMs: HOUR_MS },
  /** Keys of a client that are fetched again for one that is unknown. */
  'cimd-keys': { limit: 1, windowMs: 5 * MINUTE_MS },
  /** Documents of clients that a process fetches. */
  'cimd-process': { limit: 600, windowMs: HOUR_MS },
  /** Fetches of one document, by all instances. */
  'cimd-url': { limit: 20, windowMs: HOUR_MS },
  /** Codes that certify clients: mailed, and tried. */
  'confirm-flagship': { limit: 30, windowMs: HOUR_MS },
  /** Registrations of clients. */
  'oauth-client': { limit: 50, windowMs: HOUR_MS },
  /** Refreshes of a grant whose refresh tokens rotate. */
  refresh: { limit: 60, windowMs: MINUTE_MS },
  /** Challenges that ask a client of a resource to get more, a grant. */
  'step-up': { limit: 5, windowMs: HOUR_MS },
  /** Wrong secrets of a client from an address. */
  token: { limit: 300, windowMs: HOUR_MS },
}

/** Options with nothing left open, but what has no default. */
export interface ResolvedOptions
  extends Settled<
    Omit<OAuthOptions, 'flagship'>,
    'apps' | 'forbiddenScopes' | 'konnectors' | 'outbound' | 'scopePolicy'
  > {
  readonly assistants: Settled<NonNullable<OAuthOptions['assistants']>, 'clientHosts'>
  readonly cache: Required<NonNullable<OAuthOptions['cache']>>
  readonly consent: Required<NonNullable<OAuthOptions['consent']>>
  readonly flagship: FlagshipConfig
  readonly lifetimes: Lifetimes
  readonly limits: Readonly<Record<OAuthBucket, RateLimit>>
}

const HOSTS = list(
  text('a host, or `*.` and a host', { pattern: HOST_PATTERN, maxLength: 255 }),
  1000,
)

export const OAUTH_OPTIONS: OptionsDefinition<ResolvedOptions> = defineOptions(
  {
    store: port<Store>(['get', 'getMany', 'write', 'take', 'hit', 'list', 'count']),
    apps: port<AppRegistry>(['installed', 'listInstalled', 'available'], ['install']).optional(
      'no others',
    ),
    keys: sealingKeysOption(),
    namespace: text('like "io.svc"', {
      pattern: '^[a-z][a-z0-9_]*(?:\\.[a-z0-9_]+)+$',
      maxLength: 64,
    }).or('io.svc'),
    subdomains: oneOf(['nested', 'flat']).or('nested'),
    isHttps: func<NonNullable<OAuthOptions['isHttps']>>().or(
      isHttpsByDefault,
      'true, but for `localhost` and names below it',
    ),
    trustProxy: integer(0, 10).or(0),
    forbiddenScopes: list(text('a rule of the scope grammar', isRule), 1000).optional(
      'those of `oauth.md` 12.1',
    ),
    scopePolicy: func<ScopePolicy>().optional('all of it'),
    requirePkce: either(flag(), func<Extract<OAuthOptions['requirePkce'], Func>>()).or(false),
    flagship: flagshipOptions(),
    konnectors: port<KonnectorRegistry>(['installed']).optional(),
    deprecatedApps: deprecatedApps().or([], 'none'),
    sharings: port<Sharings>(['find', 'parseRules', 'accept', 'cancelUrl'], ['addShortcut']).or(
      NO_SHARINGS,
      'nothing is offered',
    ),
    consent: group({ choose: flag().or(true) }),
    assistants: group({
      registration: flag().or(true),
      requireState: flag().or(false),
      reserved: list(
        text('a type, or its beginning with a `*`', { pattern: '^[a-z0-9_.]+\\*?$' }),
        200,
      ).or([], 'those of `assistants.md` 4.8'),
      maxDuration: oneOf(ASSISTANT_DURATIONS).or('30d'),
      clientHosts: HOSTS.optional('any'),
      clientHostsDenied: HOSTS.or([], 'none'),
    }),
    outbound: port<Outbound>(['request']).optional('one that leads to public addresses only'),
    lifetimes: lifetimes(
      DEFAULT_LIFETIMES,
      { least: SECOND_MS, most: DAY_MS, step: SECOND_MS },
      {
        authorizationCodeMs: { least: SECOND_MS, most: 10 * MINUTE_MS, step: SECOND_MS },
        refreshTokenMs: { least: SECOND_MS, most: 3650 * DAY_MS, step: SECOND_MS },
        resourceTokenMs: { least: 5 * MINUTE_MS, most: DAY_MS, step: SECOND_MS },
        pendingClientMs: { least: SECOND_MS, most: 30 * DAY_MS, step: SECOND_MS },
        // The smallest step is a day, so that 0 is the only number below one.
        signingKeyMs: { least: 0, most: 3650 * DAY_MS, step: DAY_MS },
      },
    ),
    limits: rateLimits(DEFAULT_LIMITS),
    cache: group({
      instances: integer(1, 1_000_000).or(1000),
      engines: integer(1, 100_000).or(512),
      tokens: integer(1, 10_000_000).or(10_000),
    }),
    clock: port<Clock>(['now']).or(systemClock, "the machine's clock"),
    log: port<Logger>(['info', 'warn', 'error']).or(SILENT, 'says nothing'),
    testing: flag().or(false),
  } satisfies OptionsFor<OAuthOptions>,
  { check: testingProblem },
)

function testingProblem({
  clock,
  isHttps,
  testing,
}: Pick<ResolvedOptions, 'clock' | 'isHttps' | 'testing'>): Problem {
  if (!testing) {
    return clock instanceof TestClock
      ? { clock: 'is one for tests, and testing is not true' }
      : undefined
  }
  if (isHttps === isHttpsByDefault) return undefined
  return { testing: 'is only for bases at or below localhost, and isHttps says otherwise' }
}

/** https, but for `localhost` and names below it (D53). */
function isHttpsByDefault(domain: string): boolean {
  const name = domain.split(':', 1)[0] ?? ''
  return name !== 'localhost' && !name.endsWith('.localhost')
}
