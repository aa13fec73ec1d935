import { compiledSchema, type RouteContext } from '@svc/platform'
import { NotifyError } from '../notify-error.ts'
import { inboxBodySchema, wholeInboxBodySchema } from './inbox.schema.ts'

/** Marks to set or to take back; absent members stay. */
export interface InboxPatch {
  readonly read?: boolean
  readonly archived?: boolean
}

interface InboxBody {
  readonly data: { readonly attributes: InboxPatch }
}

const DEFAULT_PAGE = 30

/** @throws NotifyError */
export function patchOf(body: unknown): InboxPatch {
  if (!compiledSchema<InboxBody>(inboxBodySchema)(body)) {
    throw invalid('data.attributes must hold read or archived, true or false')
  }
  return body.data.attributes
}

/** Of all of them. @throws NotifyError */
export function wholePatchOf(body: unknown): InboxPatch {
  const patch = patchOf(body)
  if (compiledSchema<InboxBody>(wholeInboxBodySchema)(body)) return patch
  throw invalid('all of them can only be marked as read')
}

/** Of `filter[unread]`. @throws NotifyError */
export function unreadOf(text: string | undefined): boolean | undefined {
  if (text === undefined || text === '') return undefined
  if (text === 'true') return true
  throw invalid('filter[unread] can only be true')
}

/** Of `page[limit]`. @throws NotifyError */
export function limitOf(text: string | undefined): number {
  if (text === undefined || text === '') return DEFAULT_PAGE
  const limit = Number(text)
  if (/^\d{1,3}$/.test(text) && limit >= 1 && limit <= 100) return limit
  throw invalid('page[limit] is not 1 to 100')
}

/** This request with another `page[cursor]`. */
export function nextLink(ctx: RouteContext, cursor: string): string {
  const query = new URLSearchParams(ctx.querystring)
  query.set('page[cursor]', cursor)
  return `/notifications?${query.toString()}`
}

/** An answer to what is wrong with the request. */
export function invalid(description: string): NotifyError {
  return new NotifyError('invalid_request', { description })
}
