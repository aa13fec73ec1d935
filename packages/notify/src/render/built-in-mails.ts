import { type Instance, originOfApp } from '@svc/platform'
import type { Json } from '@svc/store'
import { toOwnLink } from '../mail/own-link.ts'
import type { NotificationRecord } from '../outbox/notification.ts'
import type { SystemMail } from '../mail/system-mails.ts'

type BuiltIn = Extract<SystemMail, { template: 'oauth_clients_limit' | 'disk_quota' }>

/** The mail of a notification of this server: that of its category (4.3), or undefined. */
export function builtInMail(
  instance: Instance,
  { originator, category, data = {} }: Pick<NotificationRecord, 'originator' | 'category' | 'data'>,
): BuiltIn | undefined {
  if (originator !== 'stack') return undefined
  if (category === 'oauth-clients') {
    return {
      template: 'oauth_clients_limit',
      variables: {
        url: linkOr(instance, data['DevicesLink'], 'clients'),
        clientName: typeof data['ClientName'] === 'string' ? data['ClientName'] : '',
        limit: Number(data['ClientsLimit'] ?? 0) || 0,
      },
    }
  }
  return category === 'disk-quota'
    ? {
        template: 'disk_quota',
        variables: { url: linkOr(instance, data['DriveLink'], 'storage') },
      }
    : undefined
}

/** A link that is not one of the instance's own would keep the mail from being written. */
function linkOr(instance: Instance, link: Json | undefined, page: string): string {
  const own = typeof link === 'string' ? toOwnLink(instance, link) : undefined
  return own ?? `${originOfApp(instance, 'settings')}/#/${page}`
}
