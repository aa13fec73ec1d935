import { type OAuth } from '@svc/oauth-core'
import { DAY_MS, isSlug, type Logger, type RateLimit } from '@svc/platform'
import { mobileFaults } from './channels/mobile/mobile-faults.ts'
import { smsFaults } from './channels/sms/sms-options.ts'
import {
  CHANNEL_DELAYS_MS,
  DEFAULT_LIFETIMES,
  type Lifetimes,
  ROUND_DELAYS_MS,
} from './lifetimes.ts'
import { DEFAULT_LIMITS, type NotifyBucket } from './limits.ts'
import { mailFaults } from './mail-faults.ts'
import type { NotifyOptions } from './options.ts'
import type { EventSink, NotifyApps, OwnerContacts, PushCredentialStore } from './ports.ts'

/** The options with their defaults. */
export interface ResolvedOptions {
  readonly oauth: OAuth
  readonly channels: NotifyOptions['channels']
  readonly apps: NotifyApps
  readonly contacts?: OwnerContacts
  readonly events?: EventSink
  readonly pushCredentials?: PushCredentialStore
  readonly settingsSlug: string
  readonly sourcePrefix: string
  readonly lifetimes: Lifetimes
  readonly channelDelays: readonly number[]
  readonly roundDelays: readonly number[]
  readonly limits: Readonly<Record<NotifyBucket, RateLimit>>
  readonly maxUnfinished: number
  readonly concurrency: { readonly total: number; readonly perInstance: number }
  readonly log: Logger
}

const TOTAL = 8
const PER_INSTANCE = 2
const MAX_UNFINISHED = 200

/** @throws TypeError with every fault at once, each with its path */
export function resolveOptions(options: NotifyOptions): ResolvedOptions {
  const faults = optionFaults(options)
  if (faults.length > 0) throw new TypeError(faults.join('; '))
  const { oauth, concurrency = {} } = options
  return {
    ...options,
    apps: options.apps ?? {},
    settingsSlug: options.settingsSlug ?? 'settings',
    sourcePrefix: options.sourcePrefix ?? 'svc',
    lifetimes: { ...DEFAULT_LIFETIMES, ...options.lifetimes },
    channelDelays: options.channelDelays ?? CHANNEL_DELAYS_MS,
    roundDelays: options.roundDelays ?? ROUND_DELAYS_MS,
    limits: { ...DEFAULT_LIMITS, ...options.limits },
    maxUnfinished: options.maxUnfinished ?? MAX_UNFINISHED,
    concurrency: {
      total: concurrency.total ?? TOTAL,
      perInstance: concurrency.perInstance ?? PER_INSTANCE,
    },
    log: options.log ?? oauth.log,
  }
}

/** What is wrong with the options, each with its path. */
export function optionFaults(options: NotifyOptions): readonly string[] {
  const { channels, concurrency = {}, settingsSlug, sourcePrefix } = options
  const { mobile, sms } = channels
  const faults = [
    ...mailFaults(channels.mail),
    ...(mobile === undefined ? [] : mobileFaults(mobile)),
    ...(sms === undefined ? [] : smsFaults(sms)),
  ]
  const fault = (path: string, text: string): void => void faults.push(`options.${path}: ${text}`)
  function integer(path: string, value: unknown, from: number, to: number): void {
    if (value === undefined || (Number.isSafeInteger(value) && isWithin(value, from, to))) return
    fault(path, `is no whole number from ${from} to ${to}`)
  }

  for (const [name, value] of Object.entries(options.lifetimes ?? {})) {
    if (!Object.hasOwn(DEFAULT_LIFETIMES, name)) fault(`lifetimes.${name}`, 'is not an option')
    integer(`lifetimes.${name}`, value, 1, 3660 * DAY_MS)
  }
  for (const [name, limit] of Object.entries(options.limits ?? {})) {
    if (!Object.hasOwn(DEFAULT_LIMITS, name)) fault(`limits.${name}`, 'is not an option')
    integer(`limits.${name}.limit`, limit.limit, 0, 1_000_000_000)
    integer(`limits.${name}.windowMs`, limit.windowMs, 1000, 30 * DAY_MS)
  }
  for (const name of ['channelDelays', 'roundDelays'] as const) {
    const delays = options[name] ?? []
    if (delays.length > 20) fault(name, 'has more than 20 members')
    for (const [place, delay] of delays.entries()) integer(`${name}[${place}]`, delay, 0, DAY_MS)
  }
  integer('maxUnfinished', options.maxUnfinished, 1, 1_000_000)
  integer('concurrency.total', concurrency.total, 1, 1000)
  integer('concurrency.perInstance', concurrency.perInstance, 1, 1000)
  if (settingsSlug !== undefined && !isSlug(settingsSlug)) fault('settingsSlug', 'is no slug')
  if (sourcePrefix !== undefined && !/^[A-Za-z0-9._-]{1,64}$/.test(sourcePrefix)) {
    fault('sourcePrefix', 'is not 1 to 64 letters, digits, dots, hyphens and underscores')
  }
  return faults
}

function isWithin(value: unknown, from: number, to: number): boolean {
  return typeof value === 'number' && value >= from && value <= to
}
