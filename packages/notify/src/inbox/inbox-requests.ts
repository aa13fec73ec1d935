import type { RouteContext } from '@svc/platform'
import { NotifyError } from '../notify-error.ts'

/** Marks to set or to take back; absent members stay. */
export interface InboxPatch {
  readonly read?: boolean
  readonly archived?: boolean
}

const DEFAULT_PAGE = 30

/** @throws NotifyError */
export function patchOf(body: unknown): InboxPatch {
  const data = memberOf(body, 'data')
  const attributes = memberOf(data, 'attributes')
  const read = memberOf(attributes, 'read')
  const archived = memberOf(attributes, 'archived')
  const isFlag = (value: unknown): boolean => value === undefined || typeof value === 'boolean'
  if ((read === undefined && archived === undefined) || !isFlag(read) || !isFlag(archived)) {
    throw invalid('data.attributes must hold read or archived, true or false')
  }
  return {
    ...(typeof read === 'boolean' && { read }),
    ...(typeof archived === 'boolean' && { archived }),
  }
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return (value as Readonly<Record<string, unknown>>)[name]
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
