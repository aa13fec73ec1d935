import type { OAuth } from '@svc/oauth-core'
import type { Logger, RateLimit } from '@svc/platform'
import type { PushGateway } from './channels/mobile/push-gateway.ts'
import type { SmsGateway } from './channels/sms/sms-gateway.ts'
import type { Lifetimes } from './lifetimes.ts'
import type { NotifyBucket } from './limits.ts'
import type {
  EventSink,
  MailTransport,
  NotifyApps,
  OwnerContacts,
  PushCredentialStore,
} from './ports.ts'

/** Who mails come from, and how they leave. @see notifications.md 10.2 */
export interface MailSettings {
  /** How mails leave: `smtpTransport({ … })`, or the host's own. */
  readonly transport: MailTransport
  /** @defaultValue `noreply@<domain of the instance>` */
  readonly noreplyAddress?: string
  /** Name beside the sender's address. @defaultValue the domain of the instance */
  readonly noreplyName?: string
  /** Where replies go; mails say so. @defaultValue no such header: mails say that nobody reads replies */
  readonly replyTo?: string
}

export interface MailOptions extends MailSettings {
  /** Other settings for the instances of a context, by its name. */
  readonly contexts?: Readonly<Record<string, Partial<MailSettings>>>
}

/** Providers of pushes; each is off without its options. @see notifications.md 16.3, 18 */
export interface MobileOptions {
  readonly fcm?: FcmOptions
  readonly apns?: ApnsOptions
  readonly huawei?: HuaweiOptions
  readonly webpush?: WebPushOptions
  /** Takes all pushes instead, such as an outbox for development. */
  readonly gateway?: PushGateway
  /** CIDRs that web push endpoints may lie in beside public addresses. @defaultValue none */
  readonly trustedNetworks?: readonly string[]
}

export interface FcmOptions {
  /** Path of a service account's JSON file; the default credentials. Absent: only those of single apps. */
  readonly credentialsFile?: string
  /** @defaultValue `https://fcm.googleapis.com` */
  readonly endpoint?: string
}

export interface ApnsOptions {
  /** Path of a `.p8`, `.p12` or `.pem` file. */
  readonly keyFile: string
  readonly password?: string
  /** With `.p8`. */
  readonly keyId?: string
  /** With `.p8`. */
  readonly teamId?: string
  /** Bundle id; needed with `.p8`. */
  readonly topic?: string
  /** Whether the sandbox host is used. @defaultValue `false` */
  readonly development?: boolean
  /** Origin instead of the vendor's. */
  readonly host?: string
  /** PEM of the authority of that host. */
  readonly ca?: string
}

export interface HuaweiOptions {
  /** Answers `{"accessToken"}` to a GET. Instead of `clientId`. */
  readonly getTokenUrl?: string
  readonly clientId?: string
  readonly clientSecret?: string
  /** @defaultValue the vendor's */
  readonly tokenUrl?: string
  readonly sendUrl: string
}

/** @see RFC 8292 */
export interface WebPushOptions {
  /** Uncompressed P-256 point, base64url. */
  readonly publicKey: string
  /** base64url. */
  readonly privateKey: string
  /** `mailto:` or `https:` of the operator. */
  readonly subject: string
}

/** How texts leave, by the context of the instance. @see notifications.md 10.1 */
export interface SmsOptions {
  /** For instances of no context of the others. */
  readonly default?: SmsProvider
  readonly contexts?: Readonly<Record<string, SmsProvider>>
  /** Takes all texts instead, such as an outbox for development. */
  readonly gateway?: SmsGateway
}

export interface SmsProvider {
  readonly provider: 'api_sen' | 'http'
  readonly url: string
  readonly token: string
  /** Names in the body of `http`. @defaultValue `content` and `receiver` */
  readonly fields?: { readonly content?: string; readonly receiver?: string }
  /** Characters (D50). @defaultValue `160` */
  readonly maxLength?: number
  /** What happens to longer texts. @defaultValue `truncate` */
  readonly overflow?: 'truncate' | 'fallback' | 'split'
}

/** What `createNotify` needs. */
export interface NotifyOptions {
  readonly oauth: OAuth
  readonly channels: {
    readonly mail: MailOptions
    /** @defaultValue no device can be reached */
    readonly mobile?: MobileOptions
    /** @defaultValue no phone can be reached */
    readonly sms?: SmsOptions
  }
  /** @defaultValue web apps post; no konnector, no templates */
  readonly apps?: NotifyApps
  /** @defaultValue no phone is known */
  readonly contacts?: OwnerContacts
  /** @defaultValue nobody is told */
  readonly events?: EventSink
  /** @defaultValue only the default credentials */
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
  /** Attempts of each channel at a time, over all instances and of one. @defaultValue `{ total: 8, perInstance: 2 }` */
  readonly concurrency?: { readonly total?: number; readonly perInstance?: number }
  /** @defaultValue that of `oauth` */
  readonly log?: Logger
}
