import type { Instance } from '@svc/platform'
import type { Catalogue } from '../mail/catalogue.ts'
import { toBody, toShownText, toTitle } from '../mail/clean-text.ts'
import type { AttemptClass, NotificationRecord } from '../outbox/notification.ts'
import type { NotificationChannel, OutgoingMessage } from '../ports.ts'
import { actionLinkOf } from '../render/action-link.ts'
import { posterOf } from '../render/poster.ts'
import type { RenderServices } from '../services.ts'
import type { Channel, ChannelOutcome } from './channel.ts'

const MAX_NAME_CHARS = 100
const CLASSES: ReadonlySet<AttemptClass> = new Set(['sent', 'permanent', 'transient', 'config'])
/** Stored part of a reason: too short for an address or number. */
const CODE = /^[a-z][a-z0-9_]{0,63}$/

/** Notifications over a channel of the host. @see docs/decisions/0647 */
export function createHostChannel(services: RenderServices, own: NotificationChannel): Channel {
  const { name } = own
  return {
    name,
    async attempt({ instance, record, signal }): Promise<ChannelOutcome> {
      if (!(await own.reaches(instance))) return { class: 'permanent', code: 'not_reached' }
      const message = await messageOf(services, instance, record)
      return checked(await own.deliver(message, signal))
    },
  }
}

/** The host may be JavaScript: what is no outcome is a fault of the channel, and worth another try. */
function checked({ class: result, code, retryAfterMs }: ChannelOutcome): ChannelOutcome {
  if (!CLASSES.has(result)) return { class: 'transient', code: 'bad_outcome' }
  return {
    class: result,
    ...(code !== undefined && { code: CODE.test(code) ? code : 'bad_code' }),
    ...(retryAfterMs !== undefined && retryAfterMs >= 0 && { retryAfterMs }),
  }
}

async function messageOf(
  services: RenderServices,
  instance: Instance,
  record: NotificationRecord,
): Promise<OutgoingMessage> {
  const { apps, catalogueOf, oauth } = services
  const { name } = await posterOf(oauth, apps, instance, record)
  const from = name === undefined ? undefined : toShownText(name, MAX_NAME_CHARS)
  const { category, data, flags, priority } = record
  const link = flags.sensitive
    ? undefined
    : await actionLinkOf(oauth.apps, apps, instance, data?.['redirectLink'])
  return {
    idempotencyKey: record.id,
    instance,
    locale: instance.locale,
    ...(from !== undefined && { from }),
    ...wordsOf(catalogueOf(instance.locale), record, from),
    ...(link !== undefined && { link }),
    category,
    priority: priority ?? 'normal',
  }
}

function wordsOf(
  catalogue: Catalogue,
  { flags, message, title }: NotificationRecord,
  app: string | undefined,
): Pick<OutgoingMessage, 'text' | 'title'> {
  if (!flags.sensitive) return { title: toTitle(title), text: toBody(message ?? '') }
  return { title: catalogue.text('push.sensitive', { app: app ?? '' }), text: '' }
}
