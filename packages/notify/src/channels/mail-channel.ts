import type { Instance, Logger } from '@svc/platform'
import { isMailError } from '../mail/mail-error.ts'
import { createMailSender, hostOf, type MailSender } from '../mail/mail-sender.ts'
import { failureFields } from '../mail/system-mailer.ts'
import type { MailOptions } from '../mail/mail-options.ts'
import type { NotificationRecord } from '../outbox/notification.ts'
import { toOwnLink } from '../mail/own-link.ts'
import type { ContentRenderer } from '../render/content.ts'
import type { MailLinks } from '../mail/app-mails.ts'
import type { Channel, ChannelOutcome } from './channel.ts'

interface MailChannelParts {
  readonly options: MailOptions
  readonly renderer: Pick<ContentRenderer, 'mail'>
  readonly log: Logger
  /** Ways out of the mails of a notification; with `unsubscribe` they get the headers for one click. */
  readonly linksOf: (
    instance: Instance,
    record: NotificationRecord,
  ) => MailLinks | Promise<MailLinks>
  /** @defaultValue its own, of the options */
  readonly sender?: MailSender
}

/** Notifications by mail. @see notifications.md 10.2 */
export function createMailChannel(parts: MailChannelParts): Channel {
  const { renderer, log, linksOf, sender = createMailSender(parts.options) } = parts

  return {
    name: 'mail',
    async attempt({ instance, record, signal }): Promise<ChannelOutcome> {
      const fields = { domain: instance.domain, notification: record.id }
      const links = await linksOf(instance, record)
      const { warnings, ...rendered } = await renderer.mail(instance, record, links)
      const url = toOwnLink(instance, links.unsubscribe ?? '')
      const mail = {
        ...rendered,
        messageId: `<${record.id}@${hostOf(instance.domain)}>`,
        template: 'notification',
        ...(url !== undefined && { unsubscribe: { url, listId: listIdOf(instance, record) } }),
      }
      try {
        await sender.toOwner(instance, mail, signal)
        log.info('notification.mail_sent', fields)
        return { class: 'sent', ...(warnings.length > 0 && { warnings }) }
      } catch (error) {
        log.warn('notification.mail_failed', { ...fields, ...failureFields(error) })
        if (!isMailError(error)) return { class: 'transient', code: 'transport_error', warnings }
        return { class: error.failure, code: error.reason, warnings }
      }
    },
  }
}

/** `<category>.<owner>.<host>`: mail programs gather mails by it. @see RFC 2919 */
export function listIdOf(
  { domain }: Instance,
  { category, owner, originator }: Pick<NotificationRecord, 'category' | 'owner' | 'originator'>,
): string {
  const labels = [category, owner === '' ? originator : owner].map(
    (text) =>
      text
        .toLowerCase()
        .replaceAll(/[^a-z\d]+/g, '-')
        .replaceAll(/^-|-$/g, '') || 'x',
  )
  return [...labels, hostOf(domain)].join('.').slice(-255)
}
