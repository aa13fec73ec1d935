import type { Notify } from '@svc/notify'
import { type OAuth } from '@svc/oauth-core'
import { originOfApp } from '@svc/platform'
import type { HostEventLog } from '../log/log.ts'

/** Tells owners that more clients are connected than their space may have. @see notifications.md 4.3; oauth.md 3.10 */
export function tellClientLimit(
  oauth: Pick<OAuth, 'log' | 'on'>,
  notify: Pick<Notify, 'post'>,
  offersLink = '',
): void {
  const log: HostEventLog = oauth.log
  oauth.on('clients.limit.exceeded', ({ instance, clientName, limit }) => {
    const data = {
      ClientName: clientName,
      ClientsLimit: limit,
      OffersLink: offersLink,
      DevicesLink: `${originOfApp(instance, 'settings')}/?section=apps`,
    }
    notify
      .post(instance, { originator: 'stack', category: 'oauth-clients', data })
      .catch((error: Error) =>
        log.error('notification.not_posted', {
          domain: instance.domain,
          category: 'oauth-clients',
          cause: error.message,
        }),
      )
  })
}
