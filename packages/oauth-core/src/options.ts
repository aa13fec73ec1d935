import { HOUR_MS } from '@svc/platform'
import type { Clock, Store } from '@svc/store'
import type { DeprecatedApp } from './authorize/deprecated-apps.ts'
import type { Sharings } from './authorize/sharings.ts'
import type { FlagshipConfig, FlagshipOptions } from './certification/attestation-config.ts'
import type { Client } from './clients/client.ts'
import type { RouteContext } from './http/route.ts'
import type { Subdomains } from './instances/instance.ts'
import type { SealingKey } from './keys/sealer.ts'
import type { Lifetimes } from './lifetimes.ts'
import type { AppRegistry, KonnectorRegistry, Logger } from './ports.ts'
import type { RateLimit } from './rate-limit.ts'

/** Buckets of this package. @see oauth.md 2.6 */
export type OAuthBucket = 'attestation' | 'confirm-flagship' | 'oauth-client' | 'token'

/** What {@link createOAuth} is told. Faults are reported at once, each with its path. */
export interface OAuthOptions {
  /** Where everything lives. The caller opens and closes it. */
  readonly store: Store
  /** Which web apps instances have. */
  readonly apps: AppRegistry
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
  /** Instead of single {@link DEFAULT_LIFETIMES}. */
  readonly lifetimes?: Partial<Lifetimes>
  /** Instead of single {@link DEFAULT_LIMITS}. */
  readonly limits?: Partial<Readonly<Record<OAuthBucket, RateLimit>>>
  /** Entries kept in process memory. */
  readonly cache?: {
    /** Instance records, 1 to 1_000_000. @defaultValue `1000` */
    readonly instances?: number
    /** Engine objects, about 42 KiB each, 1 to 100_000. @defaultValue `128` */
    readonly engines?: number
    /** Verified tokens, about 1 KiB each, 1 to 10_000_000. @defaultValue `10_000` */
    readonly tokens?: number
  }
  /** @defaultValue the machine's clock */
  readonly clock?: Clock
  /** @defaultValue says nothing */
  readonly log?: Logger
}

/** @see oauth.md 2.6 */
export const DEFAULT_LIMITS: Readonly<Record<OAuthBucket, RateLimit>> = {
  attestation: { limit: 50, windowMs: HOUR_MS },
  'confirm-flagship': { limit: 30, windowMs: HOUR_MS },
  'oauth-client': { limit: 50, windowMs: HOUR_MS },
  token: { limit: 300, windowMs: HOUR_MS },
}

/** Options with nothing left open. */
export interface ResolvedOptions
  extends Required<
    Omit<OAuthOptions, 'cache' | 'consent' | 'flagship' | 'forbiddenScopes' | 'konnectors'>
  > {
  readonly forbiddenScopes: readonly string[] | undefined
  readonly cache: { readonly instances: number; readonly engines: number; readonly tokens: number }
  readonly consent: { readonly choose: boolean }
  readonly flagship: FlagshipConfig
  readonly konnectors: KonnectorRegistry | undefined
  readonly lifetimes: Lifetimes
  readonly limits: Readonly<Record<OAuthBucket, RateLimit>>
}
