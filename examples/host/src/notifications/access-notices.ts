import type { Notify } from '@svc/notify'
import type { OAuth } from '@svc/oauth-core'
import { originOfApp } from '@svc/platform'

/**
 * Tells owners three days before what a client may do ends by itself, with the place to extend it. Of one end the
 * second notification says the same as the first, and is not sent. @see owner.md 3.4
 */
export function tellAccessEndings(
  oauth: Pick<OAuth, 'tellAccessEndings'>,
  notify: Pick<Notify, 'post'>,
): void {
  oauth.tellAccessEndings(async ({ instance, client, endsAt }) => {
    const data = {
      ClientName: client.metadata.client_name,
      EndsAt: endsAt,
      AccessLink: `${originOfApp(instance, 'settings')}/#/apps?highlight=${client.id}`,
    }
    await notify.post(instance, {
      originator: 'stack',
      category: 'access-ending',
      categoryId: client.id,
      state: String(endsAt),
      data,
    })
  })
}
