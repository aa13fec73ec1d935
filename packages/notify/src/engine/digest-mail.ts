import type { OAuth } from '@svc/oauth-core'
import type { Instance } from '@svc/platform'
import type { DigestItem, MailLinks } from '../mail/app-mails.ts'
import type { NotificationRecord } from '../outbox/notification.ts'
import type { NotifyApps } from '../ports.ts'
import type { MailTemplates, RenderedMail } from '../mail/templates.ts'
import { posterOf } from '../render/poster.ts'

/** One mail that lists several notifications, in the order they are given. @see notifications.md 23.9 */
export type DigestRenderer = (
  instance: Instance,
  records: readonly NotificationRecord[],
  links: MailLinks,
) => Promise<RenderedMail>

export function createDigestRenderer(parts: {
  readonly oauth: Pick<OAuth, 'apps' | 'clients'>
  readonly apps: NotifyApps
  readonly loadTemplates: () => Promise<MailTemplates>
}): DigestRenderer {
  const { oauth, apps, loadTemplates } = parts

  async function itemOf(instance: Instance, record: NotificationRecord): Promise<DigestItem> {
    const { name } = await posterOf(oauth, apps, instance, record)
    const { title, message, createdAt: time } = record
    return {
      time,
      title,
      ...(name !== undefined && { sender: name }),
      ...(message !== undefined && { message }),
    }
  }

  return async (instance, records, links) => {
    const items = await Promise.all(records.map((record) => itemOf(instance, record)))
    const templates = await loadTemplates()
    return templates.render(instance, { template: 'digest', variables: { items, links } })
  }
}
