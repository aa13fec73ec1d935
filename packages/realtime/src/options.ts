import { isSlug, type Logger, type OAuth } from '@svc/oauth-core'
import type { Bus } from '@svc/store'
import { isDoctype } from './doctype.ts'
import { DEFAULT_LIFETIMES, type Lifetimes } from './lifetimes.ts'
import { DEFAULT_LIMITS, type Limits } from './limits.ts'

/** What `createRealtime` needs. */
export interface RealtimeOptions {
  readonly oauth: OAuth
  /** Carries events between processes. @defaultValue that of the store of `oauth` */
  readonly bus?: Bus
  /** @defaultValue that of `oauth` */
  readonly clock?: { now(): number }
  /** @defaultValue that of `oauth` */
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

/** Options with nothing left open. */
export interface ResolvedOptions extends Required<Omit<RealtimeOptions, 'allowedOrigins'>> {
  readonly allowedOrigins: ReadonlySet<string> | undefined
  readonly lifetimes: Lifetimes
  readonly limits: Limits
}

/** What a timer of Node can wait. Milliseconds. */
const LONGEST_TIMER_MS = 2 ** 31 - 1
/** A server has 10 s to end. @see security.md 118 */
const MAX_SHUTDOWN_MS = 5000
/** A token of RFC 9110 section 5.6.2, as subprotocols are. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

/** @throws TypeError listing every fault with its path */
export function resolveOptions(options: RealtimeOptions): ResolvedOptions {
  const { oauth, aliases = {}, freeTypes = [], reservedTypes = [], channels = 'instance' } = options
  const { serverTypes = [], settingsSlug = 'settings', subprotocols, allowedOrigins } = options
  const faults = [
    ...faultsOf('subprotocols', subprotocols ?? [], (text) => TOKEN.test(text), 'a token'),
    ...faultsOf('allowedOrigins', allowedOrigins ?? [], isOrigin, 'an origin'),
    ...faultsOf('freeTypes', freeTypes, isDoctype, 'a doctype'),
    ...faultsOf('reservedTypes', reservedTypes, isDoctype, 'a doctype'),
    ...faultsOf('serverTypes', serverTypes, isDoctype, 'a doctype'),
    ...faultsOf('aliases', Object.entries(aliases).flat(), isDoctype, 'a doctype'),
    ...numberFaults('lifetimes', options.lifetimes, DEFAULT_LIFETIMES, LONGEST_TIMER_MS),
    ...numberFaults('limits', options.limits, DEFAULT_LIMITS, 1_000_000_000),
  ]
  if (typeof oauth?.authenticateToken !== 'function') faults.unshift('options.oauth: is not one')
  if (!isSlug(settingsSlug)) faults.push('options.settingsSlug: not a slug')
  if ((options.lifetimes?.shutdown ?? 0) > MAX_SHUTDOWN_MS) {
    faults.push(`options.lifetimes.shutdown: more than ${MAX_SHUTDOWN_MS}`)
  }
  if (channels !== 'instance' && channels !== 'global') {
    faults.push('options.channels: neither instance nor global')
  }
  if (faults.length > 0) throw new TypeError(faults.join('; '))
  return {
    oauth,
    bus: options.bus ?? oauth.store.bus,
    clock: options.clock ?? oauth.clock,
    log: options.log ?? oauth.log,
    subprotocols: subprotocols ?? [`${oauth.namespace}.websocket`, 'io.cozy.websocket'],
    allowedOrigins: allowedOrigins && new Set(allowedOrigins),
    aliases,
    freeTypes,
    reservedTypes,
    serverTypes,
    settingsSlug,
    channels,
    lifetimes: { ...DEFAULT_LIFETIMES, ...options.lifetimes },
    limits: { ...DEFAULT_LIMITS, ...options.limits },
  }
}

function faultsOf(
  path: string,
  texts: readonly unknown[],
  isRight: (text: string) => boolean,
  what: string,
): string[] {
  return texts
    .filter((text) => typeof text !== 'string' || !isRight(text))
    .map((text) => `options.${path}: ${JSON.stringify(text)} is not ${what}`)
}

function numberFaults(
  group: string,
  values: object | undefined,
  known: object,
  max: number,
): string[] {
  return Object.entries(values ?? {})
    .filter(([name, value]) => !Object.hasOwn(known, name) || !isCount(value, max))
    .map(([name]) => {
      const isKnown = Object.hasOwn(known, name)
      return `options.${group}.${name}: ${isKnown ? `not a whole number up to ${max}` : 'not an option'}`
    })
}

function isCount(value: unknown, max: number): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= max
}

function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text
}
