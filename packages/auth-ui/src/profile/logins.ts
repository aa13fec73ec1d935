import { defineRoute, type Route, type RouteContext } from '@svc/platform'
import { AuthUiError } from '../errors.ts'
import type { AuthUiServices } from '../services.ts'
import { listLogins, type LoginEntry } from '../session/login-history.ts'
import { isoTime } from '../settings/json-api.ts'
import { ownerOf } from '../settings/settings-owner.ts'
import { requireSettingsApp } from '../web/caller.ts'

const DEFAULT_PAGE = 20

/** The owner's log-ins of the last year. @see owner.md 1.1 */
export const loginHistoryRoutes: readonly Route<AuthUiServices>[] = [
  defineRoute({
    method: 'GET',
    path: '/settings/logins',
    handler: showLogins,
    auth: requireSettingsApp,
    statuses: [200, 400, 401, 403],
    family: 'jsonapi',
    cors: 'app-origins',
    summary: 'The log-ins, newest first: `page[limit]` (1 to 100), `page[cursor]`.',
    source: 'owner.md 1.1',
  }),
]

async function showLogins(ctx: RouteContext, services: AuthUiServices): Promise<void> {
  const { instance, query } = ctx.state
  await ownerOf(services, ctx)
  const asked = query.get('page[cursor]')
  const page = await listLogins(services, instance, {
    limit: limitOf(query.get('page[limit]')),
    ...(asked === undefined || asked === '' ? {} : { cursor: asked }),
  }).catch((error: unknown) => {
    // What the store says of a cursor that it did not make.
    if (error instanceof TypeError) throw invalid('page[cursor] is malformed')
    throw error
  })
  const current = await services.sessionMiddleware.current(ctx)
  const live = new Set((await services.sessions.list(instance)).map(({ id }) => id))
  ctx.status = 200
  ctx.type = 'application/vnd.api+json'
  ctx.body = JSON.stringify({
    data: page.logins.map(({ id, entry }) => ({
      type: `${services.namespace}.sessions.logins`,
      id,
      attributes: {
        ...toWire(entry),
        ...(live.has(entry.sessionId) ? { session: entry.sessionId } : {}),
        current: entry.sessionId === current?.id,
      },
    })),
    links: page.cursor === undefined ? {} : { next: nextLink(ctx, page.cursor) },
  })
}

function toWire(entry: LoginEntry): Readonly<Record<string, unknown>> {
  const { createdAt, method, ip, os, browser, city, country } = entry
  return {
    created_at: isoTime(createdAt),
    method,
    ip,
    ...(country === undefined ? {} : { country }),
    ...(city === undefined ? {} : { city }),
    os,
    browser,
  }
}

/** Of `page[limit]`. @throws AuthUiError */
function limitOf(text: string | undefined): number {
  if (text === undefined || text === '') return DEFAULT_PAGE
  const limit = Number(text)
  if (/^\d{1,3}$/.test(text) && limit >= 1 && limit <= 100) return limit
  throw invalid('page[limit] is not 1 to 100')
}

/** This request with another `page[cursor]`. */
function nextLink(ctx: RouteContext, cursor: string): string {
  const query = new URLSearchParams(ctx.querystring)
  query.set('page[cursor]', cursor)
  return `/settings/logins?${query.toString()}`
}

function invalid(description: string): AuthUiError {
  return new AuthUiError('invalid_parameter', { description })
}
