import type { HttpError, Instance, RouteRow, Texter } from '@svc/platform'
import type { Context, Middleware } from 'koa'
import type { AppMail } from './mail/app-mails.ts'
import type { NotifyFigures } from './metrics.ts'
import type { Mailer } from './mail/system-mailer.ts'
import type { NotifyOperator } from './operator.ts'
import type { ChannelName, NotificationRecord, Priority } from './outbox/notification.ts'
import type { NoticePages } from './ports.ts'
import type { SystemMail } from './mail/system-mails.ts'
import type { RenderedMail } from './mail/templates.ts'

/** A notification of this server or its operator. @see notifications.md 2.7 */
export interface InternalNotification {
  /** `stack`: a built-in category; `cli`: with its declaration. */
  readonly originator: 'stack' | 'cli'
  readonly category: string
  /** Of `cli`: as in a manifest. */
  readonly declaration?: Readonly<Record<string, unknown>>
  readonly categoryId?: string
  /** Of `cli`; built-in categories have their own words. */
  readonly title?: string
  readonly message?: string
  readonly priority?: Priority
  /** `false` and `0`: what was alerted is over. */
  readonly state?: string | boolean | number
  readonly preferredChannels?: readonly ChannelName[]
  readonly data?: Readonly<Record<string, unknown>>
  readonly slug?: string
  readonly at?: string
}

/** What `createNotify` answers. */
export interface Notify {
  /** For the packages that have mails to send. */
  readonly mailer: Mailer
  /** For the packages that have texts to send, by the gateways of `channels.sms`. */
  readonly texter: Texter
  /**
   * Renders a mail without sending it: for previews, with `sampleMails` and `sampleAppMails`.
   * @throws TypeError when the link of the mail is not one of the instance's own
   */
  render(instance: Instance, mail: SystemMail | AppMail): Promise<RenderedMail>
  /** The endpoints; behind `resolveInstance`. */
  routes(options: {
    /** Renders the pages behind the links of mails. */
    readonly pages: NoticePages
    /** Renders an error to who looks at such a page. @defaultValue JSON */
    readonly errorPage?: (ctx: Context, error: HttpError) => Promise<void>
  }): Middleware
  /** The rows of {@link Notify.routes}, for documents and tests. */
  readonly rows: readonly RouteRow[]
  /** @throws NotifyError as the endpoint answers */
  post(instance: Instance, notification: InternalNotification): Promise<NotificationRecord>
  /** For the host's own tools. */
  readonly operator: NotifyOperator
  /** What this process accepted and delivered so far. */
  figures(): NotifyFigures
  /** To be called when an app, konnector or client is gone: what waits is cancelled, the rest removed (14). */
  sourceGone(
    instance: Instance,
    source: { readonly originator: 'app' | 'konnector' | 'oauth'; readonly owner: string },
  ): Promise<void>
  /**
   * Ends, as `expired`, what should have been delivered before an instant (milliseconds since the epoch) and was not. For
   * a store that was put back from a backup, before `start`.
   */
  expireOverdue(instance: Instance, before: number): Promise<void>
  /** Starts delivering. */
  start(): Promise<void>
  /** Stops taking on work, waits for attempts under way, gives the rest back. */
  close(): Promise<void>
}
