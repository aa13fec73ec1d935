import type { Instance, Logger, Platform, RateLimit, RouteContext } from '@svc/platform'
import {
  defineOptions,
  func,
  integer,
  type OptionsDefinition,
  type OptionsFor,
  port,
  rateLimits,
  type Settled,
} from '@svc/platform/options'
import type { TellSeal } from './chain/seal-notices.ts'
import { DEFAULT_RETENTION_DAYS, LEAST_RETENTION_DAYS, MOST_RETENTION_DAYS } from './lifetimes.ts'
import { type ActivityBucket, DEFAULT_LIMITS, MAX_ENTRIES } from './limits.ts'

/** A confirmation of the owner, as the settings app brings it along. */
export interface GivenConfirmation {
  readonly code: string
  readonly state: string
}

/** Who may look at the record. `@svc/auth-ui` knows. */
export interface ActivityOwners {
  /** Throws unless the request has a token of the settings app. */
  requireSettingsApp(ctx: RouteContext): Promise<void>
  /** Whether the owner confirmed for the settings app a moment ago. */
  isConfirmed(instance: Instance, confirmation: GivenConfirmation): Promise<boolean>
  /** What the rules of a scope allow, in the owner's language. */
  rightsInWords(instance: Instance, scope: string): Promise<readonly string[]>
  /** What a kind of data is called, in the owner's language. */
  kindInWords(instance: Instance, type: string): string
}

/** What `createActivity` needs. */
export interface ActivityOptions {
  /** What `createOAuth` made: instances, keys, the store. */
  readonly platform: Platform
  /** Who may look at the record. */
  readonly owners: ActivityOwners
  /** Where rules take the time from. @defaultValue that of `platform` */
  readonly clock?: { now(): number }
  /** Takes lines for the operator. @defaultValue that of `platform` */
  readonly log?: Logger
  /** How long entries are kept, days. @defaultValue `365` */
  readonly retentionDays?: number
  /** How many entries of an instance are kept. @defaultValue `50_000` */
  readonly maxEntries?: number
  /** Tells owners once a month where their chain ends, for them to keep. @defaultValue nobody is told */
  readonly tellSeal?: TellSeal
  /** Instead of single `DEFAULT_LIMITS`. */
  readonly limits?: Partial<Readonly<Record<ActivityBucket, RateLimit>>>
}

/** Options with nothing left open. */
export interface ResolvedOptions extends Settled<ActivityOptions, 'tellSeal'> {
  readonly limits: Readonly<Record<ActivityBucket, RateLimit>>
}

const FEWEST_ENTRIES = 1000
const MOST_ENTRIES = 1_000_000

export const ACTIVITY_OPTIONS: OptionsDefinition<ResolvedOptions> = defineOptions({
  platform: port<Platform>(['mount', 'useActivity', 'clientAddress']),
  owners: port<ActivityOwners>([
    'requireSettingsApp',
    'isConfirmed',
    'rightsInWords',
    'kindInWords',
  ]),
  clock: port<{ now(): number }>(['now']).orFrom(
    ({ platform }: ActivityOptions) => platform.clock,
    'that of `platform`',
  ),
  log: port<Logger>(['info', 'warn', 'error']).orFrom(
    ({ platform }: ActivityOptions) => platform.log,
    'that of `platform`',
  ),
  retentionDays: integer(LEAST_RETENTION_DAYS, MOST_RETENTION_DAYS, { unit: 'days' }).or(
    DEFAULT_RETENTION_DAYS,
  ),
  maxEntries: integer(FEWEST_ENTRIES, MOST_ENTRIES).or(MAX_ENTRIES),
  tellSeal: func<TellSeal>().optional('nobody is told'),
  limits: rateLimits(DEFAULT_LIMITS),
} satisfies OptionsFor<ActivityOptions>)
