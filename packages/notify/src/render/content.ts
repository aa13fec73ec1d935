import type { Instance } from '@svc/platform'
import type { NotificationRecord } from '../outbox/notification.ts'
import type { MailLinks } from '../mail/app-mails.ts'

/** The words of a notification for one channel, cleaned (10 "Control characters"), not yet cut to size. */
export interface TextContent {
  readonly title: string
  readonly body: string
  /** Such as `template_error`. */
  readonly warnings: readonly string[]
}

/** The body of its mail. */
export interface MailContent {
  readonly subject: string
  readonly text: string
  readonly html: string
  /** BCP 47 tag. */
  readonly locale: string
  readonly warnings: readonly string[]
}

/** Writes what channels send: from the request, the app's template, or title and message. @see notifications.md 10 */
export interface ContentRenderer {
  mobile(instance: Instance, record: NotificationRecord): Promise<TextContent>
  sms(instance: Instance, record: NotificationRecord): Promise<TextContent>
  mail(instance: Instance, record: NotificationRecord, links: MailLinks): Promise<MailContent>
}
