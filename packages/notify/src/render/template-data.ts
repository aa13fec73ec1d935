import type { Instance } from '@svc/platform'
import type { NotificationRecord } from '../outbox/notification.ts'
import type { Poster } from './poster.ts'

/** What a template sees: the keys of `data`, and three names of ours that win. @see notifications.md 10.3 */
export function templateData(
  instance: Instance,
  record: NotificationRecord,
  { slug, name }: Poster,
): Readonly<Record<string, unknown>> {
  const { title, message, category, categoryId, state, priority, createdAt } = record
  return {
    ...record.data,
    notification: {
      title,
      message: message ?? '',
      category,
      category_id: categoryId ?? '',
      state: state ?? '',
      priority: priority ?? '',
      created_at: new Date(createdAt).toISOString(),
    },
    app: { slug: slug ?? '', name: name ?? '' },
    instance: {
      domain: instance.domain,
      url: instance.origin,
      public_name: instance.publicName ?? '',
      locale: instance.locale,
    },
  }
}
