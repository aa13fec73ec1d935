import { type Instance, originOfApp } from '@svc/oauth-core'
import type { Json } from '@svc/store'
import type { Catalogue } from '../catalogue.ts'
import { toOwnLink } from '../own-link.ts'
import type { NotificationRecord } from '../outbox/notification.ts'
import { toShownText } from '../shown-text.ts'
import type { SystemMail } from '../system-mails.ts'

type BuiltIn = Extract<SystemMail, { template: 'oauth_clients_limit' | 'disk_quota' }>

/** What is told of a notification of this server: the system mail of its category (4.3), or undefined. */
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

/** The same for channels that take a few words. */
export function builtInWords(
  instance: Instance,
  { template, variables }: BuiltIn,
  catalogue: Catalogue,
): { readonly title: string; readonly message: string } {
  const values = {
    domain: instance.domain,
    ...(template === 'oauth_clients_limit' && {
      name: toShownText(variables.clientName, 100),
      limit: variables.limit,
    }),
  }
  return {
    title: catalogue.text(`${template}.title`, values),
    message: catalogue.text(`${template}.body.1`, values),
  }
}

/** A link that is not one of the instance's own would keep the mail from being written. */
function linkOr(instance: Instance, link: Json | undefined, page: string): string {
  const own = typeof link === 'string' ? toOwnLink(instance, link) : undefined
  return own ?? `${originOfApp(instance, 'settings')}/#/${page}`
}
