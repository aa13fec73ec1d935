import type { NotificationCategory } from '@svc/oauth-core'
import { DAY_MS, type Instance } from '@svc/platform'
import { catalogueOf } from '../mail/catalogue.ts'
import { toShownText } from '../mail/clean-text.ts'
import { formatTime } from '../mail/request-facts.ts'
import type { ChannelName } from '../outbox/notification.ts'

/** A category of the server itself. @see notifications.md 4.3 */
export interface BuiltInCategory {
  readonly declared: NotificationCategory
  /** `inbox`: it is only to be found there. */
  readonly channel: ChannelName | 'inbox'
  /** Its mail, if it leaves by one; the texts of the notification have that name, too. */
  readonly mail: 'access_ending' | 'activity_seal' | 'oauth_clients_limit' | 'disk_quota'
  readonly slug?: string
  /** What `data` has anyway. */
  readonly data: Readonly<Record<string, string>>
}

const PLAIN: NotificationCategory = {
  description: '',
  collapsible: false,
  stateful: false,
  multiple: false,
  sensitive: false,
}
const WEEK_MS = 7 * DAY_MS

/** By name. */
export const BUILT_IN: ReadonlyMap<string, BuiltInCategory> = new Map<string, BuiltInCategory>([
  [
    'oauth-clients',
    {
      declared: PLAIN,
      channel: 'mail',
      mail: 'oauth_clients_limit',
      slug: 'settings',
      data: {},
    },
  ],
  [
    'access-ending',
    {
      // One source of each client, one state of each end: who asks twice tells once.
      declared: { ...PLAIN, stateful: true, multiple: true },
      channel: 'mail',
      mail: 'access_ending',
      slug: 'settings',
      data: {},
    },
  ],
  [
    'activity-seal',
    {
      // One state of each end of the chain: who asks twice tells once.
      declared: { ...PLAIN, stateful: true },
      channel: 'inbox',
      mail: 'activity_seal',
      slug: 'settings',
      data: { redirectLink: 'settings/#/activity' },
    },
  ],
  [
    'disk-quota',
    {
      // One source of each level: a full space is told although it was said a day ago that it is nearly full.
      declared: {
        ...PLAIN,
        collapsible: true,
        stateful: true,
        multiple: true,
        minIntervalMs: WEEK_MS,
      },
      channel: 'mobile',
      mail: 'disk_quota',
      // A push of the server has no app's name before its title.
      data: { appName: '' },
    },
  ],
])

/**
 * Title and message of a built-in category, in the owner's language.
 * @param data - of `disk-quota`: `IsFull`, nothing is left; of `access-ending`: `ClientName` and `EndsAt`; of `activity-seal`: `Seq`
 *   and `Mark`
 */
export function builtInTexts(
  instance: Instance,
  { mail }: BuiltInCategory,
  data: Readonly<Record<string, unknown>> = {},
): { readonly title: string; readonly message: string } {
  const { domain, locale } = instance
  const catalogue = catalogueOf(locale)
  const named = catalogue.has(`${mail}.message`)
  const prefix = data['IsFull'] === true ? `${mail}.full` : mail
  const values = {
    domain,
    ...(mail === 'access_ending' && {
      name: toShownText(typeof data['ClientName'] === 'string' ? data['ClientName'] : '', 100),
      date: formatTime(Number(data['EndsAt'] ?? 0), instance, catalogue.locale, 'short'),
    }),
    ...(mail === 'activity_seal' && {
      seq: Number(data['Seq'] ?? 0),
      mark: toShownText(typeof data['Mark'] === 'string' ? data['Mark'] : '', 32),
    }),
  }
  return {
    title: catalogue.text(`${prefix}.title`, values),
    // What stands beside a mail's subject names nobody from outside: where a message does, it has words of its own.
    message: catalogue.text(`${prefix}.${named ? 'message' : 'preheader'}`, values),
  }
}
