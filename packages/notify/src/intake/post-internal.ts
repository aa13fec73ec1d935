import type { NotificationCategory } from '@svc/oauth-core'
import type { Instance } from '@svc/platform'
import type { InternalNotification } from '../notify.ts'
import type { NotifyServices } from '../services.ts'
import type { NotificationRecord } from '../outbox/notification.ts'
import { acceptPost, type AcceptServices } from './accept.ts'
import { type Attributes, requireDraft, requireTitle } from './attributes.ts'
import { BUILT_IN, builtInTexts } from './built-in.ts'
import { categoryNotFound, parseInlineCategory } from './declarations.ts'
import type { Poster } from './poster.ts'

/** How to read a notification of the server or its operator. */
interface Prepared {
  readonly declared: NotificationCategory
  readonly attributes: Attributes
  readonly poster: Poster
  /** It leaves by no channel. */
  readonly isInboxOnly?: true
}

/** Posts what the server or its operator has to say; without the quotas of apps. @see notifications.md 2.7 */
export async function postInternal(
  services: AcceptServices & Pick<NotifyServices, 'catalogueOf'>,
  instance: Instance,
  notification: InternalNotification,
): Promise<NotificationRecord> {
  const { category, state } = notification
  const { declared, attributes, poster, isInboxOnly } =
    notification.originator === 'stack'
      ? prepareBuiltIn(services, instance, notification)
      : prepareDeclared(notification)
  requireTitle(attributes)
  const draft = requireDraft(services, instance, declared, attributes)
  const isCleared = state === false || state === 0
  const accepted = await acceptPost(services, {
    instance,
    poster,
    category,
    declared,
    draft,
    isCleared,
    ...(isInboxOnly && { isInboxOnly }),
  })
  return accepted.record
}

function prepareBuiltIn(
  { catalogueOf }: Pick<NotifyServices, 'catalogueOf'>,
  instance: Instance,
  notification: InternalNotification,
): Prepared {
  const builtIn = BUILT_IN.get(notification.category)
  if (builtIn === undefined) throw categoryNotFound()
  const slug = notification.slug ?? builtIn.slug
  const attributes = {
    ...(builtIn.channel !== 'inbox' && { preferred_channels: [builtIn.channel] }),
    ...(builtIn.isUrgent === true && { priority: 'high' as const }),
    ...attributesOf(notification),
    ...builtInTexts(catalogueOf, instance, builtIn, notification.data),
    data: { ...builtIn.data, ...notification.data },
  }
  const poster = { originator: 'stack', owner: '', postedBy: '' } as const
  return {
    declared: builtIn.declared,
    attributes,
    poster: withSlug(poster, slug),
    ...(builtIn.channel === 'inbox' && { isInboxOnly: true }),
  }
}

function prepareDeclared(notification: InternalNotification): Prepared {
  const { category, declaration = {}, slug } = notification
  const poster = { originator: 'cli', owner: slug ?? '', postedBy: '' } as const
  return {
    declared: parseInlineCategory(category, declaration),
    attributes: attributesOf(notification),
    poster: withSlug(poster, slug),
  }
}

/** As they would come over HTTP. */
function attributesOf(notification: InternalNotification): Attributes {
  const { categoryId, title, message, priority, state } = notification
  const { preferredChannels, data, at } = notification
  return {
    ...(categoryId !== undefined && { category_id: categoryId }),
    ...(title !== undefined && { title }),
    ...(message !== undefined && { message }),
    ...(priority !== undefined && { priority }),
    ...(state !== undefined && { state: String(state) }),
    ...(preferredChannels !== undefined && { preferred_channels: preferredChannels }),
    ...(data !== undefined && { data }),
    ...(at !== undefined && { at }),
  }
}

function withSlug(poster: Poster, slug: string | undefined): Poster {
  return slug === undefined ? poster : { ...poster, slug }
}
