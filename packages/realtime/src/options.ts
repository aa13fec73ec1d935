import { type OAuth } from '@svc/oauth-core'
import { isSlug, type Logger } from '@svc/platform'
import {
  counts,
  defineOptions,
  lifetimes,
  list,
  oneOf,
  type OptionsDefinition,
  type OptionsFor,
  port,
  record,
  type Settled,
  text,
} from '@svc/platform/options'
import type { Bus } from '@svc/store'
import { isDoctype } from './events/doctype.ts'
import { DEFAULT_LIFETIMES, type Lifetimes } from './lifetimes.ts'
import { DEFAULT_LIMITS, type Limits } from './limits.ts'

/** What `createRealtime` needs. */
export interface RealtimeOptions {
  /** What `createOAuth` made: instances, tokens, the store. */
  readonly oauth: OAuth
  /** Carries events between processes. @defaultValue that of the store of `oauth` */
  readonly bus?: Bus
  /** Where rules take the time from. @defaultValue that of `oauth` */
  readonly clock?: { now(): number }
  /** Takes lines for the operator. @defaultValue that of `oauth` */
  readonly log?: Logger
  /**
   * Subprotocols that are agreed to; the first one a client offers of these is chosen (D23).
   * @defaultValue `<namespace>.websocket` and `io.cozy.websocket`
   */
  readonly subprotocols?: readonly string[]
  /** Origins whose pages may connect. A connection is worth nothing without a token. @defaultValue any */
  readonly allowedOrigins?: readonly string[]
  /** Type to the one whose permission a subscription needs instead. @defaultValue none */
  readonly aliases?: Readonly<Record<string, string>>
  /** More types that every token may subscribe. @defaultValue none */
  readonly freeTypes?: readonly string[]
  /** More types that nobody may subscribe. @defaultValue none */
  readonly reservedTypes?: readonly string[]
  /** More types of which only the server tells; clients cannot send such events. @defaultValue none */
  readonly serverTypes?: readonly string[]
  /** The one app that may subscribe to clients (D44). @defaultValue `settings` */
  readonly settingsSlug?: string
  /** One channel of the bus for each instance that somebody listens to, or one for all. @defaultValue `instance` */
  readonly channels?: 'instance' | 'global'
  /** Milliseconds, instead of single {@link DEFAULT_LIFETIMES}. */
  readonly lifetimes?: Partial<Lifetimes>
  /** Instead of single {@link DEFAULT_LIMITS}. */
  readonly limits?: Partial<Limits>
}

/** Options with nothing left open, but that pages of any origin may connect. */
export interface ResolvedOptions extends Settled<Omit<RealtimeOptions, 'allowedOrigins'>> {
  readonly allowedOrigins?: ReadonlySet<string>
  readonly lifetimes: Lifetimes
  readonly limits: Limits
}

/** What a timer of Node can wait. Milliseconds. */
const LONGEST_TIMER_MS = 2 ** 31 - 1
/** A server has 10 s to end. @see security.md 118 */
const MAX_SHUTDOWN_MS = 5000
const MOST_ENTRIES = 1000
const MOST_COUNTED = 1_000_000_000
const ANY_BYTES = { least: 0, most: MOST_COUNTED, unit: 'bytes' } as const

const doctype = text('a doctype', isDoctype)
/** A token of RFC 9110 section 5.6.2, as subprotocols are. */
const token = text('a token', { pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z\\-]+$" })

export const REALTIME_OPTIONS: OptionsDefinition<ResolvedOptions> = defineOptions({
  oauth: port<OAuth>(['mount', 'authenticate', 'authenticateToken', 'clientAddress']),
  bus: port<Bus>(['publish', 'subscribe']).orFrom(
    ({ oauth }: RealtimeOptions) => oauth.store.bus,
    'that of the store of `oauth`',
  ),
  clock: port<{ now(): number }>(['now']).orFrom(
    ({ oauth }: RealtimeOptions) => oauth.clock,
    'that of `oauth`',
  ),
  log: port<Logger>(['info', 'warn', 'error']).orFrom(
    ({ oauth }: RealtimeOptions) => oauth.log,
    'that of `oauth`',
  ),
  subprotocols: list(token, MOST_ENTRIES).orFrom(
    ({ oauth }: RealtimeOptions) => [`${oauth.namespace}.websocket`, 'io.cozy.websocket'],
    '`<namespace>.websocket` and `io.cozy.websocket`',
  ),
  allowedOrigins: list(text('an origin', isOrigin), MOST_ENTRIES)
    .as((origins): ReadonlySet<string> => new Set(origins))
    .optional('any'),
  aliases: record(doctype, isDoctype).or({}, 'none'),
  freeTypes: list(doctype, MOST_ENTRIES).or([], 'none'),
  reservedTypes: list(doctype, MOST_ENTRIES).or([], 'none'),
  serverTypes: list(doctype, MOST_ENTRIES).or([], 'none'),
  settingsSlug: text('a slug', isSlug).or('settings'),
  channels: oneOf(['instance', 'global']).or('instance'),
  lifetimes: lifetimes(
    DEFAULT_LIFETIMES,
    { least: 0, most: LONGEST_TIMER_MS },
    { shutdown: { least: 0, most: MAX_SHUTDOWN_MS } },
  ),
  limits: counts(
    DEFAULT_LIMITS,
    { least: 0, most: MOST_COUNTED },
    {
      messageBytes: ANY_BYTES,
      unsentBytes: ANY_BYTES,
      maxUnsentBytes: ANY_BYTES,
      documentBytes: ANY_BYTES,
    },
  ),
} satisfies OptionsFor<RealtimeOptions>)

function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text
}
