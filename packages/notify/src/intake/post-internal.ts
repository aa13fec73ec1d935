import type { NotificationCategory } from '@svc/oauth-core'
import type { Instance } from '@svc/platform'
import type { Lifetimes } from '../lifetimes.ts'
import { NotifyError } from '../notify-error.ts'
import type { InternalNotification } from '../notify.ts'
import type { NotificationRecord } from '../outbox/notification.ts'
import { zoneOf } from '../preferences/zoned-time.ts'
import type { Accept } from './accept.ts'
import { type Attributes, judgeAttributes } from './attributes.ts'
import { BUILT_IN, createBuiltInTexts } from './built-in.ts'
import { categoryNotFound, type Declarations } from './declarations.ts'
import { requireTitle } from './post-notification.ts'
import type { Poster } from './poster.ts'

/** Posts what the server or its operator has to say; without the quotas of apps. @see notifications.md 2.7 */
export type PostInternal = (
  instance: Instance,
  notification: InternalNotification,
) => Promise<NotificationRecord>

/** What a notification of the server or its operator is to be read as. */
interface Prepared {
  readonly declared: NotificationCategory
  readonly attributes: Attributes
  readonly poster: Poster
}

export function createPostInternal(dependencies: {
  readonly clock: { now(): number }
  readonly declarations: Declarations
  readonly accept: Accept
  readonly lifetimes: Pick<Lifetimes, 'atAhead' | 'atPast'>
}): PostInternal {
  const { clock, declarations, accept, lifetimes } = dependencies
  const textsOf = createBuiltInTexts()

  function prepareBuiltIn(instance: Instance, notification: InternalNotification): Prepared {
    const builtIn = BUILT_IN.get(notification.category)
    if (builtIn === undefined) throw categoryNotFound()
    const slug = notification.slug ?? builtIn.slug
    const attributes = {
      preferred_channels: [builtIn.channel],
      ...attributesOf(notification),
      ...textsOf(instance, builtIn),
      data: { ...builtIn.data, ...notification.data },
    }
    const poster = { originator: 'stack', owner: '', postedBy: '' } as const
    return { declared: builtIn.declared, attributes, poster: withSlug(poster, slug) }
  }

  function prepareDeclared(notification: InternalNotification): Prepared {
    const { category, declaration = {}, slug } = notification
    const poster = { originator: 'cli', owner: slug ?? '', postedBy: '' } as const
    return {
      declared: declarations.inline(category, declaration),
      attributes: attributesOf(notification),
      poster: withSlug(poster, slug),
    }
  }

  return async function postInternal(instance, notification) {
    const { category, state } = notification
    const { declared, attributes, poster } =
      notification.originator === 'stack'
        ? prepareBuiltIn(instance, notification)
        : prepareDeclared(notification)
    requireTitle(attributes)
    const judged = judgeAttributes(attributes, {
      ...{ category: declared, zone: zoneOf(instance), now: clock.now(), bounds: lifetimes },
    })
    if ('faults' in judged) throw NotifyError.ofAll(judged.faults)
    const isCleared = state === false || state === 0
    const { draft } = judged
    return (await accept({ instance, poster, category, declared, draft, isCleared })).record
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
