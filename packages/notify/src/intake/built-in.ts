import type { NotificationCategory } from '@svc/oauth-core'
import { DAY_MS, type Instance } from '@svc/platform'
import { catalogueOf } from '../mail/catalogue.ts'
import type { ChannelName } from '../outbox/notification.ts'

/** A category of the server itself. @see notifications.md 4.3 */
export interface BuiltInCategory {
  readonly declared: NotificationCategory
  readonly channel: ChannelName
  /** Its mail; the texts of the notification are among those of it. */
  readonly mail: 'oauth_clients_limit' | 'disk_quota'
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
 * @param isFull - of `disk-quota`: nothing is left
 */
export function builtInTexts(
  { domain, locale }: Instance,
  { mail }: BuiltInCategory,
  isFull: boolean,
): { readonly title: string; readonly message: string } {
  const catalogue = catalogueOf(locale)
  const name = isFull ? `${mail}.full` : mail
  return {
    title: catalogue.text(`${name}.title`, { domain }),
    message: catalogue.text(`${name}.preheader`, { domain }),
  }
}
