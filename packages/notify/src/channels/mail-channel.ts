import type { Instance } from '@svc/platform'
import { namedApp } from '../mail/app-mail-model.ts'
import type { MailLinks } from '../mail/app-mails.ts'
import { isMailError } from '../mail/mail-error.ts'
import { hostOf, sendToOwner } from '../mail/mail-sender.ts'
import { toOwnLink } from '../mail/mail-model.ts'
import { failureFields } from '../mail/system-mailer.ts'
import type { NotificationRecord } from '../outbox/notification.ts'
import { posterOf } from '../render/poster.ts'
import { renderMail } from '../render/notification-mail.ts'
import type { NotifyServices, RenderServices } from '../services.ts'
import { type Channel, type ChannelOutcome, KEPT } from './channel.ts'

/**
 * Notifications by mail.
 * @param linksOf - links in the footer; with `unsubscribe` mails get the headers for one click
 * @see notifications.md 10.2
 */
export function createMailChannel(
  services: RenderServices & Pick<NotifyServices, 'mailSender'>,
  linksOf: (instance: Instance, record: NotificationRecord) => MailLinks | Promise<MailLinks>,
): Channel {
  const { log, mailSender } = services
  return {
    name: 'mail',
    async attempt({ instance, record, signal }): Promise<ChannelOutcome> {
      const fields = { domain: instance.domain, notification: record.id }
      const links = await linksOf(instance, record)
      const { warnings, ...rendered } = await renderMail(services, instance, record, links)
      const url = toOwnLink(instance, links.unsubscribe ?? '')
      const app = await appOf(services, instance, record)
      const mail = {
        ...rendered,
        messageId: `<${record.id}@${hostOf(instance.domain)}>`,
        template: 'notification',
        ...(app !== undefined && { app }),
        ...(url !== undefined && { unsubscribe: { url, listId: listIdOf(instance, record) } }),
      }
      try {
        const isKept = (await sendToOwner(mailSender, instance, mail, signal)) === KEPT
        if (!isKept) log.info('notification.mail_sent', fields)
        const code = isKept ? { code: KEPT } : {}
        return { class: 'sent', ...code, ...(warnings.length > 0 && { warnings }) }
      } catch (error) {
        log.warn('notification.mail_failed', { ...fields, ...failureFields(error) })
        if (!isMailError(error)) return { class: 'transient', code: 'transport_error', warnings }
        return { class: error.failure, code: error.reason, warnings }
      }
    },
  }
}

/** SPEC: D98 - the sender's name says which app it is from. What clients and konnectors are called is their own word. */
async function appOf(
  { apps, catalogueOf, oauth }: RenderServices,
  instance: Instance,
  record: NotificationRecord,
): Promise<string | undefined> {
  const { app, name } = await posterOf(oauth, apps, instance, record)
  if (name === undefined) return undefined
  const isInstalled = record.originator === 'app' && app !== undefined
  return isInstalled ? name : namedApp(name, catalogueOf(instance.locale))
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
