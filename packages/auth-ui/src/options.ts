import {
  type AppRegistry,
  type Instance,
  isSlug,
  type Logger,
  type OAuth,
  type RateLimit,
} from '@svc/oauth-core'
import type { Clock, Store } from '@svc/store'
import { type PermissionTexts, permissionTextFaults } from './consent/permission-texts.ts'
import type { RaiseLimitUrl } from './authorize/hurdle-pages.ts'
import { DEFAULT_LIFETIMES, type Lifetimes } from './lifetimes.ts'
import type { Theme } from './page-renderer.ts'
import type { RevokeOAuthOnReset } from './passphrase/change-passphrase.ts'
import type { DiskUsage } from './move/move-flow.ts'
import { DEFAULT_COST } from './passphrase/password-hash.ts'
import { isAffordable, type ScryptCost } from './passphrase/stored-hash.ts'
import type { EventSink, HostHooks, Mailer, Place } from './ports.ts'
import { NO_SHARES, type Shares } from './share-by-link/shares.ts'
import { type Bucket, DEFAULT_LIMITS } from './rate-limits.ts'

/** What `createAuthUi` needs. */
export interface AuthUiOptions {
  readonly oauth: OAuth
  /** Sends the owner's mails. */
  readonly mailer: Mailer
  /** @defaultValue that of `oauth` */
  readonly store?: Store
  /** @defaultValue that of `oauth` */
  readonly apps?: AppRegistry
  /** @defaultValue that of `oauth` */
  readonly clock?: Clock
  /** @defaultValue that of `oauth` */
  readonly log?: Logger
  readonly hooks?: HostHooks
  /** Tells apps what happened. @defaultValue nobody is told */
  readonly events?: EventSink
  readonly theme?: Theme
  /**
   * Words for kinds of data on the consent page and in lists of access, by doctype and language. The raw scope always
   * stays one tap away.
   * @defaultValue those of the package, and the raw name of what it does not know
   */
  readonly permissionTexts?: PermissionTexts
  /** App that opens after a log-in. @defaultValue `home` */
  readonly homeSlug?: string
  /** App that may manage sessions and clients. @defaultValue `settings` */
  readonly settingsSlug?: string
  /** A log-in leads only to apps that are installed (D13). @defaultValue `true` */
  readonly requireInstalledApp?: boolean
  /** Start of the attributes that pages of apps get. @defaultValue `data-svc-` */
  readonly appAttributePrefix?: string
  readonly passphrase?: {
    /** Whether a write without `iterations` may carry the passphrase itself. @defaultValue `true` */
    readonly allowRaw?: boolean
    /** `UV_THREADPOOL_SIZE` of the process, 1 to 1024: decides how many hashes run at once. @defaultValue `4` */
    readonly threadPoolSize?: number
    /** Checks that may wait for a slot, 0 to 10 000. @defaultValue `32` */
    readonly waiting?: number
    /**
     * Cost of new hashes, logN 10 to 20; older ones are replaced at the next log-in. Below the default only where
     * nothing of value is kept.
     * @defaultValue `{ logN: 15, r: 8, p: 3 }` (D17)
     */
    readonly cost?: ScryptCost
    /**
     * Whose tokens end when the passphrase is reset by mail or by the operator: nobody's, the flagship app's, or those
     * of every client.
     * @defaultValue `flagship` (login.md 7.1)
     */
    readonly revokeOAuthOnReset?: RevokeOAuthOnReset
  }
  readonly confirm?: {
    /**
     * Hosts (`host` or `host:port`, without the port 443) outside the instance that a confirmation may lead back to,
     * over https. @defaultValue none
     */
    readonly authorizedHosts?: readonly string[]
  }
  /** What is shared by links (oauth.md 9). @defaultValue nothing */
  readonly shares?: Shares
  readonly move?: {
    /** What an owner keeps, told to the server that it moves to. @defaultValue nothing, without an end */
    readonly diskUsage?: (instance: Instance) => Promise<DiskUsage>
  }
  /** Where an owner who connected too many clients can have the limit raised. @defaultValue nowhere */
  readonly raiseLimitUrl?: RaiseLimitUrl
  /** Looks an address up in a geo database, for the login history. @defaultValue none */
  readonly locate?: (address: string) => Promise<Place | undefined>
  /** Milliseconds, instead of single {@link DEFAULT_LIFETIMES}. */
  readonly lifetimes?: Partial<Lifetimes>
  /** Instead of single {@link DEFAULT_LIMITS}. */
  readonly limits?: Partial<Readonly<Record<Bucket, RateLimit>>>
}

/** Options with nothing left open. */
export interface ResolvedOptions {
  readonly oauth: OAuth
  readonly mailer: Mailer
  readonly store: Store
  readonly apps: AppRegistry
  readonly clock: Clock
  readonly log: Logger
  readonly hooks: HostHooks
  readonly events: EventSink
  readonly theme: Theme | undefined
  readonly permissionTexts: PermissionTexts
  readonly homeSlug: string
  readonly settingsSlug: string
  readonly requireInstalledApp: boolean
  readonly appAttributePrefix: string
  readonly allowRaw: boolean
  readonly threadPoolSize: number
  readonly waiting: number
  readonly cost: ScryptCost
  readonly revokeOAuthOnReset: RevokeOAuthOnReset
  readonly confirmHosts: ReadonlySet<string>
  readonly diskUsage: ((instance: Instance) => Promise<DiskUsage>) | undefined
  readonly raiseLimitUrl: RaiseLimitUrl | undefined
  readonly shares: Shares
  readonly locate: ((address: string) => Promise<Place | undefined>) | undefined
  readonly lifetimes: Lifetimes
  readonly limits: Partial<Readonly<Record<Bucket, RateLimit>>>
}

/** @throws TypeError listing every fault with its path */
export function resolveOptions(options: AuthUiOptions): ResolvedOptions {
  const { oauth, passphrase = {} } = options
  const faults = [
    ...slugFaults(options),
    ...numberFaults('passphrase', { ...passphrase }, ['threadPoolSize', 'waiting']),
    ...numberFaults('lifetimes', { ...options.lifetimes }, Object.keys(DEFAULT_LIFETIMES)),
    ...limitFaults(options.limits ?? {}),
    ...costFaults(passphrase.cost ?? DEFAULT_COST),
    ...hostFaults(options.confirm?.authorizedHosts ?? []),
    ...permissionTextFaults(options.permissionTexts ?? {}),
  ]
  const revoke = passphrase.revokeOAuthOnReset ?? 'none'
  if (!['none', 'flagship', 'all'].includes(revoke)) {
    faults.push('options.passphrase.revokeOAuthOnReset: not none, flagship or all')
  }
  if (typeof options.mailer?.send !== 'function') faults.push('options.mailer: has no send')
  if (faults.length > 0) throw new TypeError(faults.join('; '))
  return {
    oauth,
    mailer: options.mailer,
    store: options.store ?? oauth.store,
    apps: options.apps ?? oauth.apps,
    clock: options.clock ?? oauth.clock,
    log: options.log ?? oauth.log,
    hooks: options.hooks ?? {},
    events: options.events ?? { publish: async () => {} },
    theme: options.theme,
    permissionTexts: options.permissionTexts ?? {},
    homeSlug: options.homeSlug ?? 'home',
    settingsSlug: options.settingsSlug ?? 'settings',
    requireInstalledApp: options.requireInstalledApp ?? true,
    appAttributePrefix: options.appAttributePrefix ?? 'data-svc-',
    allowRaw: passphrase.allowRaw ?? true,
    threadPoolSize: passphrase.threadPoolSize ?? 4,
    waiting: passphrase.waiting ?? 32,
    cost: passphrase.cost ?? DEFAULT_COST,
    revokeOAuthOnReset: passphrase.revokeOAuthOnReset ?? 'flagship',
    confirmHosts: new Set(options.confirm?.authorizedHosts),
    diskUsage: options.move?.diskUsage,
    raiseLimitUrl: options.raiseLimitUrl,
    shares: options.shares ?? NO_SHARES,
    locate: options.locate,
    lifetimes: { ...DEFAULT_LIFETIMES, ...options.lifetimes },
    limits: options.limits ?? {},
  }
}

function slugFaults(options: AuthUiOptions): string[] {
  const faults: string[] = []
  for (const name of ['homeSlug', 'settingsSlug'] as const) {
    const slug = options[name]
    if (slug !== undefined && !isSlug(slug)) faults.push(`options.${name}: not a slug`)
  }
  const prefix = options.appAttributePrefix
  if (prefix !== undefined && !/^data-[a-z0-9-]+-$/.test(prefix)) {
    faults.push('options.appAttributePrefix: not of the form data-name-')
  }
  return faults
}

function numberFaults(
  group: string,
  values: Readonly<Record<string, unknown>>,
  known: readonly string[],
): string[] {
  return known
    .filter((name) => values[name] !== undefined && !isNatural(values[name]))
    .map((name) => `options.${group}.${name}: not a whole number`)
}

function limitFaults(limits: Readonly<Record<string, RateLimit | undefined>>): string[] {
  return Object.entries(limits)
    .filter(([bucket, limit]) => {
      const isKnown = Object.hasOwn(DEFAULT_LIMITS, bucket)
      return !isKnown || !isNatural(limit?.limit) || !isNatural(limit?.windowMs)
    })
    .map(([bucket]) => `options.limits.${bucket}: not a known bucket with limit and windowMs`)
}

function costFaults({ logN, r, p }: ScryptCost): string[] {
  const isUsable = isNatural(logN) && logN >= 10 && logN <= 20 && isAffordable({ logN, r, p })
  return isUsable && isNatural(r) && isNatural(p)
    ? []
    : ['options.passphrase.cost: not a usable cost of scrypt']
}

function hostFaults(hosts: readonly string[]): string[] {
  return hosts
    .filter((host) => !isPlainHost(host))
    .map((host) => `options.confirm.authorizedHosts: not a host: ${JSON.stringify(host)}`)
}

/** CSP has to name it, and knows no literals of IPv6; `*` there would be every host. */
function isPlainHost(host: string): boolean {
  return /^[a-z0-9.:-]+$/.test(host) && URL.parse(`https://${host}`)?.host === host
}

function isNatural(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0
}
