import type { Originator } from '../outbox/notification.ts'

/** What a source of notifications is made of. */
export interface Source {
  readonly originator: Originator
  /** Slug, or client id of an unlinked client; empty for `stack`. */
  readonly owner: string
  readonly category: string
  /** Only of categories with `multiple`. */
  readonly categoryId?: string
}

/** What would end a part of the id, or be read as an escape. */
const SPECIAL = /[/%\p{Cc}]/gu

/**
 * The id that notifications of one kind share: `svc/<originator>/<owner>/<category>/<category_id>`. The last slash stays
 * when there is no `category_id`; `/`, `%` and control characters in it are percent-encoded, so that no two sources meet.
 * @see notifications.md 6
 */
export function sourceIdOf(
  prefix: string,
  { originator, owner, category, categoryId = '' }: Source,
): string {
  const last = categoryId.replaceAll(SPECIAL, encodeURIComponent)
  return `${prefix}/${originator}/${owner}/${category}/${last}`
}
