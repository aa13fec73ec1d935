import type { AppRegistry, OAuth } from '@svc/oauth-core'
import { DAY_MS, type Instance, isSlug, type Logger, type RateLimit } from '@svc/platform'
import {
  defineOptions,
  either,
  flag,
  func,
  group,
  hooks,
  integer,
  lifetimes,
  list,
  object,
  oneOf,
  type OptionsDefinition,
  type OptionsFor,
  port,
  rateLimits,
  type Settled,
  text,
} from '@svc/platform/options'
import type { Clock, Store } from '@svc/store'
import { builtInApps, type BuiltInAppsOption } from './apps/built-in-option.ts'
import { permissionTexts, type PermissionTexts } from './consent/permission-texts.ts'
import { type OwnFactor, ownFactorsOption } from './factors/own-factor.ts'
import { DEFAULT_LIFETIMES, type Lifetimes } from './lifetimes.ts'
import {
  type AssistantChanges,
  type DiskUsage,
  type EventSink,
  type HostHooks,
  type Mailer,
  type OwnerContacts,
  type Place,
  type RaiseLimitUrl,
  type RevokeOAuthOnReset,
  NO_ASSISTANT_CHANGES,
  NO_RESTORED_SPACES,
  type RestoredSpaces,
  type Texter,
} from './ports.ts'
import type { PassphraseVerifier } from './passphrase/passphrase-verifier.ts'
import { DEFAULT_COST } from './passphrase/password-hash.ts'
import { isAffordable, type ScryptCost } from './owner/stored-hash.ts'
import {
  type HostProfile,
  hostProfile,
  type ResolvedHostProfile,
} from './profile/host-profile-option.ts'
import { isOwnerLink, type OwnerLinks } from './profile/owner-links.ts'
import { NO_SHARES, type Shares } from './share-by-link/shares.ts'
import { type Bucket, DEFAULT_LIMITS } from './rate-limits.ts'
import { SLOT_NAMES, type Slots } from './pages/slots.ts'
import { themeOption, type ThemeOption } from './pages/theme-option.ts'
import { type OwnViews, viewsOption } from './pages/view-option.ts'
import { isHomePath } from './web/home-path.ts'
import {
  type Languages,
  languagesOption,
  type Texts,
  textsOption,
  wordsProblem,
} from './words/word-options.ts'

/** What `createAuthUi` needs. */
export interface AuthUiOptions {
  /** What `createOAuth` made: instances, keys, clients. */
  readonly oauth: OAuth
  /** Sends the owner's mails. */
  readonly mailer: Mailer
  /** Where owners and sessions are kept. @defaultValue that of `oauth` */
  readonly store?: Store
  /** Which web apps instances have. @defaultValue that of `oauth` */
  readonly apps?: AppRegistry
  /** Where rules take the time from. @defaultValue that of `oauth` */
  readonly clock?: Clock
  /** Takes lines for the operator. @defaultValue that of `oauth` */
  readonly log?: Logger
  /** Keeps the owner's phone number. @defaultValue the profile has no such part */
  readonly contacts?: OwnerContacts
  /** Sends codes to phones. @defaultValue no number can be proven */
  readonly texter?: Texter
  /** What the host wants to know or to forbid. @defaultValue none */
  readonly hooks?: HostHooks
  /** Tells apps what happened. @defaultValue nobody is told */
  readonly events?: EventSink
  /**
   * The embedder's looks; a function says those of an instance, and of a client on the pages about one.
   * @defaultValue that of the package
   */
  readonly theme?: ThemeOption
  /**
   * Words in the place of single ones of the pages, by language and key.
   * @defaultValue those of the package
   */
  readonly texts?: Texts
  /**
   * Languages beside those of the package, or in the place of them.
   * @defaultValue none
   */
  readonly locales?: Languages
  /**
   * Templates of the host in the place of ours. `ui.start` shows a sample on each, and throws for one that lacks something.
   * @defaultValue none
   */
  readonly views?: OwnViews
  /** Paragraphs and links of the host on pages. @defaultValue none */
  readonly slots?: Slots
  /**
   * Words for kinds of data on the consent page and in lists of access, by doctype and language. The raw scope always
   * stays one tap away.
   * @defaultValue those of the package, and the raw name of what it does not know
   */
  readonly permissionTexts?: PermissionTexts
  /**
   * Apps that come with the package, served by `ui.routes()` on their hosts: each is there, not there, or the host's own
   * folder in its place. An app of that slug in `apps` is the host's to serve.
   */
  readonly builtInApps?: BuiltInAppsOption
  /** Path on the instance that logins lead to instead of an app. @defaultValue none */
  readonly home?: string
  /** App that opens after a login. @defaultValue `home` */
  readonly homeSlug?: string
  /** App that may manage sessions and clients. @defaultValue `settings` */
  readonly settingsSlug?: string
  /** A login leads only to apps that are installed (D13). @defaultValue `true` */
  readonly requireInstalledApp?: boolean
  /** Start of the attributes that pages of apps get. @defaultValue `data-svc-` */
  readonly appAttributePrefix?: string
  /** How passphrases are checked, stored and reset. */
  readonly passphrase?: {
    /** Whether a write without `iterations` may carry the passphrase itself. @defaultValue `true` */
    readonly allowRaw?: boolean
    /** `UV_THREADPOOL_SIZE` of the process, 1 to 1024: decides how many hashes run at once. @defaultValue `4` */
    readonly threadPoolSize?: number
    /** For hashes of imported owners that the package does not know. @defaultValue none */
    readonly verifiers?: readonly PassphraseVerifier[]
    /** Checks that may wait for a slot, 0 to 10 000. @defaultValue `32` */
    readonly waiting?: number
    /**
     * Cost of new hashes, logN 10 to 20; older ones are replaced at the next login. Below the default only where
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
  /** Code factors of the host beside those of the package, at most 5. @defaultValue none */
  readonly factors?: readonly OwnFactor[]
  /** Where a confirmation may lead back to. */
  readonly confirm?: {
    /**
     * Hosts (`host` or `host:port`, without the port 443) outside the instance that a confirmation may lead back to,
     * over https. @defaultValue none
     */
    readonly authorizedHosts?: readonly string[]
  }
  /** What is shared by links (oauth.md 9). @defaultValue nothing */
  readonly shares?: Shares
  /** Which spaces were put back from a backup, for the settings. @defaultValue none */
  readonly restored?: RestoredSpaces
  /** What assistants changed and the owner can put back. @defaultValue nothing is offered */
  readonly assistantChanges?: AssistantChanges
  /** What another server is told when an owner moves to it. */
  readonly move?: {
    /** What an owner keeps, told to the server that it moves to. @defaultValue nothing, without an end */
    readonly diskUsage?: (instance: Instance) => Promise<DiskUsage>
  }
  /**
   * Pages of the host that the owner's profile leads to: `/path` on the instance, or `slug` or `slug/path` of one of its
   * apps. @defaultValue none, and the profile has no such part
   */
  readonly ownerLinks?: OwnerLinks
  /** Fields of the profile that the host keeps in records of its own. */
  readonly profile?: HostProfile
  /** Where an owner who connected too many clients can have the limit raised. @defaultValue nowhere */
  readonly raiseLimitUrl?: RaiseLimitUrl
  /** Looks an address up in a geo database, for the login history. @defaultValue none */
  readonly locate?: (address: string) => Promise<Place | undefined>
  /** Milliseconds, instead of single {@link DEFAULT_LIFETIMES}. */
  readonly lifetimes?: Partial<Lifetimes>
  /** Instead of single {@link DEFAULT_LIMITS}. */
  readonly limits?: Partial<Readonly<Record<Bucket, RateLimit>>>
}

type Group<Name extends keyof AuthUiOptions> = NonNullable<AuthUiOptions[Name]>

/** Options with nothing left open, but what has no default. */
export interface ResolvedOptions
  extends Settled<
    Omit<AuthUiOptions, 'confirm' | 'profile'>,
    'contacts' | 'home' | 'locate' | 'raiseLimitUrl' | 'texter' | 'theme'
  > {
  readonly confirm: { readonly authorizedHosts: ReadonlySet<string> }
  readonly lifetimes: Lifetimes
  readonly limits: Readonly<Record<Bucket, RateLimit>>
  readonly passphrase: Required<Group<'passphrase'>>
  readonly profile: ResolvedHostProfile
}

const slug = text('a slug', isSlug)
const OWNER_LINK = text('a page of the instance (/path) or of an app (slug/path)', isOwnerLink)

const MEMBERS = {
  oauth: port<OAuth>(['mount', 'authenticate', 'clientAddress', 'revoked']),
  mailer: port<Mailer>(['send']),
  store: port<Store>(['get', 'getMany', 'write', 'take', 'hit', 'list']).orFrom(
    ({ oauth }: AuthUiOptions) => oauth.store,
    'that of `oauth`',
  ),
  apps: port<AppRegistry>(['installed', 'listInstalled', 'available'], ['install']).orFrom(
    ({ oauth }: AuthUiOptions) => oauth.apps,
    'that of `oauth`',
  ),
  clock: port<Clock>(['now']).orFrom(({ oauth }: AuthUiOptions) => oauth.clock, 'that of `oauth`'),
  log: port<Logger>(['info', 'warn', 'error']).orFrom(
    ({ oauth }: AuthUiOptions) => oauth.log,
    'that of `oauth`',
  ),
  contacts: port<OwnerContacts>(['phone', 'setPhone']).optional('the profile has no such part'),
  texter: port<Texter>(['canSend', 'send']).optional('no number can be proven'),
  hooks: hooks<HostHooks>([
    'onLogin',
    'onLoggedIn',
    'onLoginFailed',
    'onOnboarded',
    'onPassphraseChanged',
    'onSessionsEnded',
    'onUnrecoverableVault',
    'onVaultKeys',
  ]).or({}, 'none'),
  events: port<EventSink>(['publish']).or({ publish: async () => {} }, 'nobody is told'),
  theme: themeOption().optional('that of the package'),
  texts: textsOption().or({}, 'those of the package'),
  locales: languagesOption().or({}, 'none'),
  views: viewsOption(),
  slots: hooks<Slots>(SLOT_NAMES).or({}, 'none'),
  permissionTexts: permissionTexts().or({}, 'those of the package'),
  builtInApps: builtInApps(),
  home: text('a path of the instance that is not one of this interface', isHomePath).optional(),
  homeSlug: slug.or('home'),
  settingsSlug: slug.or('settings'),
  requireInstalledApp: flag().or(true),
  appAttributePrefix: text('of the form data-name-', { pattern: '^data-[a-z0-9-]+-$' }).or(
    'data-svc-',
  ),
  factors: ownFactorsOption().or([], 'none'),
  passphrase: group({
    allowRaw: flag().or(true),
    threadPoolSize: integer(1, 1024).or(4),
    verifiers: list(port<PassphraseVerifier>(['parse', 'verify']), 10).or([], 'none'),
    waiting: integer(0, 10_000).or(32),
    cost: object({
      logN: integer(10, 20),
      r: integer(1, 1024),
      p: integer(1, 16),
    })
      .that((cost) => (isAffordable(cost) ? undefined : 'must be a cost that checks can afford'))
      .or(DEFAULT_COST),
    revokeOAuthOnReset: oneOf(['none', 'flagship', 'all']).or('flagship'),
  }),
  confirm: group({
    authorizedHosts: list(text('a host, or a host with a port', isPlainHost), 1000)
      .as((hosts): ReadonlySet<string> => new Set(hosts))
      .or(new Set(), 'none'),
  }),
  shares: port<Shares>(['find']).or(NO_SHARES, 'nothing'),
  restored: port<RestoredSpaces>(['find', 'forget']).or(NO_RESTORED_SPACES, 'nothing'),
  assistantChanges: port<AssistantChanges>(['find', 'list', 'putBack']).or(
    NO_ASSISTANT_CHANGES,
    'nothing is offered',
  ),
  move: group({
    diskUsage: func<NonNullable<Group<'move'>['diskUsage']>>().optional('nothing, without an end'),
  }),
  ownerLinks: group({
    export: OWNER_LINK.optional('none'),
    close: OWNER_LINK.optional('none'),
  }),
  profile: hostProfile(),
  raiseLimitUrl: either(
    text('an absolute URL', (url) => URL.canParse(url)),
    func<Exclude<RaiseLimitUrl, string>>(),
  ).optional('nowhere'),
  locate: func<NonNullable<AuthUiOptions['locate']>>().optional(),
  lifetimes: lifetimes(DEFAULT_LIFETIMES, { least: 1, most: 3650 * DAY_MS }),
  limits: rateLimits(DEFAULT_LIMITS, 0),
} satisfies OptionsFor<AuthUiOptions>

export const AUTH_UI_OPTIONS: OptionsDefinition<ResolvedOptions> = defineOptions(MEMBERS, {
  check: wordsProblem,
})

/** CSP has to name it, and knows no literals of IPv6; `*` there would be every host. */
function isPlainHost(host: string): boolean {
  return /^[a-z0-9.:-]+$/.test(host) && URL.parse(`https://${host}`)?.host === host
}
