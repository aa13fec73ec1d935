import { type OAuth } from '@svc/oauth-core'
import { DAY_MS, isSlug, type Logger, type RateLimit } from '@svc/platform'
import {
  defineOptions,
  group,
  integer,
  lifetimes,
  list,
  milliseconds,
  object,
  type OptionsDefinition,
  type OptionsFor,
  port,
  rateLimits,
  type Settled,
  text,
} from '@svc/platform/options'
import { type MobileOptions, mobileOptions } from './channels/mobile/mobile-options.ts'
import { type SmsOptions, smsOptions } from './channels/sms/sms-options.ts'
import {
  CHANNEL_DELAYS_MS,
  DEFAULT_LIFETIMES,
  type Lifetimes,
  ROUND_DELAYS_MS,
} from './lifetimes.ts'
import { DEFAULT_LIMITS, type NotifyBucket } from './limits.ts'
import type { MailLanguage } from './mail/catalogue.ts'
import { mailLanguages } from './mail/language-option.ts'
import { type MailOptions, mailOptions } from './mail/mail-options.ts'
import { hostChannels } from './channels/host-channel-option.ts'
import type {
  EventSink,
  NotificationChannel,
  NotifyApps,
  OwnerContacts,
  PushCredentialStore,
} from './ports.ts'

/** What `createNotify` needs. */
export interface NotifyOptions {
  /** What `createOAuth` made: instances, clients, the store. */
  readonly oauth: OAuth
  /** The ways to the owner. */
  readonly channels: {
    /** To the address in the owner's settings; also the mails of the server itself. */
    readonly mail: MailOptions
    /** To the owner's devices. @defaultValue no device can be reached */
    readonly mobile?: MobileOptions
    /** To the owner's phone. @defaultValue no phone can be reached */
    readonly sms?: SmsOptions
    /** Ways of the host's own, such as a chat room. At most 5. @defaultValue none */
    readonly custom?: readonly NotificationChannel[]
  }
  /** Languages of mails, pushes and texts added to those of the package, or replacing them. @defaultValue none */
  readonly locales?: Readonly<Record<string, MailLanguage>>
  /** Manifests and files of what may post. @defaultValue web apps post; no konnector, no templates */
  readonly apps?: NotifyApps
  /** How owners are reached beside their mail address. @defaultValue no phone is known */
  readonly contacts?: OwnerContacts
  /** Emits events to apps. @defaultValue none */
  readonly events?: EventSink
  /** Credentials of single apps at the providers of pushes. @defaultValue only the default credentials */
  readonly pushCredentials?: PushCredentialStore
  /** The app with the owner's notification settings. @defaultValue `settings` */
  readonly settingsSlug?: string
  /** First part of source ids. @defaultValue `svc` */
  readonly sourcePrefix?: string
  /** Milliseconds, instead of single defaults. */
  readonly lifetimes?: Partial<Lifetimes>
  /** Milliseconds between the tries of a channel in a round, before jitter. @defaultValue 1 s, 5 s, 25 s */
  readonly channelDelays?: readonly number[]
  /** Milliseconds between rounds. @defaultValue 1 min, 5 min, 30 min, 2 h, 6 h */
  readonly roundDelays?: readonly number[]
  /** Instead of single defaults. */
  readonly limits?: Partial<Readonly<Record<NotifyBucket, RateLimit>>>
  /** Notifications not yet final of one source owner. @defaultValue `200` */
  readonly maxUnfinished?: number
  /** Notifications of an instance; of more, the oldest finished ones go. @defaultValue `10_000` */
  readonly maxKept?: number
  /** How many attempts of each channel are made at a time. */
  readonly concurrency?: {
    /** Over all instances. @defaultValue `8` */
    readonly total?: number
    /** Of one instance. @defaultValue `2` */
    readonly perInstance?: number
  }
  /** Takes lines for the operator. @defaultValue that of `oauth` */
  readonly log?: Logger
}

/** Options with nothing left open, but what has no default. */
export interface ResolvedOptions
  extends Settled<Omit<NotifyOptions, 'channels'>, 'contacts' | 'events' | 'pushCredentials'> {
  readonly channels: NotifyOptions['channels'] & {
    readonly custom: readonly NotificationChannel[]
  }
  readonly concurrency: { readonly total: number; readonly perInstance: number }
  readonly lifetimes: Lifetimes
  readonly limits: Readonly<Record<NotifyBucket, RateLimit>>
}

/** Tries of a channel, and rounds. */
const delays = list(milliseconds(0, DAY_MS), 20)

export const NOTIFY_OPTIONS: OptionsDefinition<ResolvedOptions> = defineOptions({
  oauth: port<OAuth>(['mount', 'authenticate', 'clientAddress']),
  channels: object({
    mail: mailOptions(),
    mobile: mobileOptions().optional('no device can be reached'),
    sms: smsOptions().optional('no phone can be reached'),
    custom: hostChannels().or([], 'none'),
  }),
  locales: mailLanguages().or({}, 'none'),
  apps: port<NotifyApps>(
    [],
    ['konnector', 'konnectors', 'readFile', 'readKonnectorFile', 'linkTo'],
  ).or({}, 'web apps post; no konnector, no templates'),
  contacts: port<OwnerContacts>(['contactOf']).optional('no phone is known'),
  events: port<EventSink>(['publish']).optional('nobody is told'),
  pushCredentials: port<PushCredentialStore>(['getRaw']).optional('only the default credentials'),
  settingsSlug: text('a slug', isSlug).or('settings'),
  sourcePrefix: text('1 to 64 letters, digits, dots, hyphens and underscores', {
    pattern: '^[A-Za-z0-9._\\-]{1,64}$',
  }).or('svc'),
  lifetimes: lifetimes(DEFAULT_LIFETIMES, { least: 1, most: 3660 * DAY_MS }),
  channelDelays: delays.or(CHANNEL_DELAYS_MS, '1 s, 5 s, 25 s'),
  roundDelays: delays.or(ROUND_DELAYS_MS, '1 min, 5 min, 30 min, 2 h, 6 h'),
  limits: rateLimits(DEFAULT_LIMITS, 0),
  maxUnfinished: integer(1, 1_000_000).or(200),
  maxKept: integer(1, 10_000_000).or(10_000),
  concurrency: group({
    total: integer(1, 1000).or(8),
    perInstance: integer(1, 1000).or(2),
  }),
  log: port<Logger>(['info', 'warn', 'error']).orFrom(
    ({ oauth }: NotifyOptions) => oauth.log,
    'that of `oauth`',
  ),
} satisfies OptionsFor<NotifyOptions>)
