import type { NotificationCategory } from '@svc/oauth-core'
import { DAY_MS, type Instance } from '@svc/platform'
import type { CatalogueOf } from '../mail/catalogue.ts'
import { toShownText } from '../mail/clean-text.ts'
import { formatTime } from '../mail/request-facts.ts'
import type { KnownChannel } from '../outbox/notification.ts'

/** A category of the server itself. @see notifications.md 4.3 */
export interface BuiltInCategory {
  readonly declared: NotificationCategory
  /** `inbox`: it is only to be found there. */
  readonly channel: KnownChannel | 'inbox'
  /** Its mail, if it leaves by one; the texts of the notification have that name, too. */
  readonly mail:
    | 'access_ending'
    | 'activity_seal'
    | 'assistant_busy'
    | 'assistant_connected'
    | 'assistant_ended'
    | 'oauth_clients_limit'
    | 'disk_quota'
  readonly slug?: string
  /** Whether it passes quiet hours. */
  readonly isUrgent?: true
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

/** News of security: quiet hours do not hold it back. One source of each assistant, each state of it told once. */
function ofAssistants(mail: BuiltInCategory['mail']): BuiltInCategory {
  return {
    declared: { ...PLAIN, stateful: true, multiple: true },
    channel: 'mail',
    mail,
    slug: 'settings',
    isUrgent: true,
    data: {},
  }
}

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
  ['assistant-connected', ofAssistants('assistant_connected')],
  ['assistant-ended', ofAssistants('assistant_ended')],
  ['assistant-busy', ofAssistants('assistant_busy')],
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
      // One source of each level: "full" is sent even if "nearly full" was sent a day ago.
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
 * @param data - of `disk-quota`: `IsFull`, nothing is left; of the others: `ClientName`, and what their texts name
 */
export function builtInTexts(
  catalogueOf: CatalogueOf,
  instance: Instance,
  { mail }: BuiltInCategory,
  data: Readonly<Record<string, unknown>> = {},
): { readonly title: string; readonly message: string } {
  const { domain, locale } = instance
  const catalogue = catalogueOf(locale)
  const named = catalogue.has(`${mail}.message`)
  const values = {
    domain,
    name: toShownText(typeof data['ClientName'] === 'string' ? data['ClientName'] : '', 100),
    date: formatTime(Number(data['EndsAt'] ?? 0), instance, catalogue.locale, 'short'),
    documents: Number(data['Documents'] ?? 0),
    seq: Number(data['Seq'] ?? 0),
    mark: toShownText(typeof data['Mark'] === 'string' ? data['Mark'] : '', 32),
  }
  const variants = [`${mail}.${variantOf(data)}`, mail]
  const text = (part: string): string => {
    const key = variants.map((each) => `${each}.${part}`).find((each) => catalogue.has(each))
    return catalogue.text(key ?? `${mail}.${part}`, values)
  }
  return {
    title: text('title'),
    // A preheader never includes names from outside; a message that does has its own text.
    message: text(named ? 'message' : 'preheader'),
  }
}

function variantOf(data: Readonly<Record<string, unknown>>): string {
  if (data['IsFull'] === true) return 'full'
  return data['News'] === 'write' ? 'write' : 'any'
}
