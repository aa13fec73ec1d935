import type { OAuth } from '@svc/oauth-core'
import type { Store } from '@svc/store'
import type { Channel } from './channels/channel.ts'
import type { Quota } from './channels/delivery-quotas.ts'
import type { RetryPlan } from './engine/progress.ts'
import type { Posting } from './intake/posting.ts'
import type { Lifetimes } from './lifetimes.ts'
import type { CatalogueOf } from './mail/catalogue.ts'
import type { MailSender } from './mail/mail-sender.ts'
import type { MailTemplates } from './mail/templates.ts'
import type { ChannelName } from './outbox/notification.ts'
import type { Outbox } from './outbox/outbox.ts'
import type { EventSink, NoticePages, NotificationChannel, NotifyApps } from './ports.ts'
import type { RenderWorker } from './render/render-worker.ts'
import type { NotifyLog } from './log/log-events.ts'

/** Services of the package. Handlers and rules take them, or the part they need; `create-notify.ts` makes it. */
export interface NotifyServices {
  readonly oauth: OAuth
  readonly store: Store
  readonly clock: { now(): number }
  readonly log: NotifyLog
  /** Prefix of doctypes (D20). */
  readonly namespace: string
  /** Manifests and files of what may post, beside `oauth.apps`. */
  readonly apps: NotifyApps
  readonly lifetimes: Lifetimes
  readonly retryPlan: RetryPlan
  /** The app with the owner's notification settings. */
  readonly settingsSlug: string
  /** Accepted notifications. */
  readonly outbox: Outbox
  /** What accepting posts keeps in memory, and its limits. */
  readonly posting: Posting
  /** The channels that the options name. */
  readonly channels: Readonly<Partial<Record<ChannelName, Channel>>>
  /** Channels of the host, which are among `channels`, too. */
  readonly hostChannels: readonly NotificationChannel[]
  /** Quota bucket of a channel's attempts. Channels without an entry have their own. */
  readonly quotas: Readonly<Partial<Record<ChannelName, Quota>>>
  /** For mails of notifications: it leaves a mail server alone that does not answer. */
  readonly mailSender: MailSender
  /** Loads the template engine of mails with the first mail. */
  readonly loadTemplates: () => Promise<MailTemplates>
  readonly renderWorker: RenderWorker
  /** Texts of the best language for a tag. */
  readonly catalogueOf: CatalogueOf
  /** Absent: no events are emitted. */
  readonly events: EventSink | undefined
  /** Renders the pages behind the links of mails; absent until `routes` is called. */
  readonly pages: { current?: NoticePages }
  /** What browsers subscribe with; absent: web push is off. */
  readonly webpush: { readonly publicKey: string } | undefined
}

/** What writes the words of a notification. */
export type RenderServices = Pick<
  NotifyServices,
  'apps' | 'catalogueOf' | 'loadTemplates' | 'log' | 'oauth' | 'renderWorker'
>
