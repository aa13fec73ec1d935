import type { CallCounts, CallPage, RecordedCall, RecordedDay } from '@svc/oauth-core'
import { defineRoute, type Instance, type Route, type RouteContext } from '@svc/platform'
import { AuthUiError } from '../errors.ts'
import type { AuthUiServices } from '../services.ts'
import { requireSettingsApp } from '../web/caller.ts'
import { isoTime, type Resource } from './json-api.ts'
import { idOf } from './settings-owner.ts'

/** What an assistant did. @see assistants.md 5.6, 5.8 */
export const assistantActivityRoutes: readonly Route<AuthUiServices>[] = [
  defineRoute({
    method: 'GET',
    path: '/settings/assistants/:id/activity',
    handler: showActivity,
    auth: requireSettingsApp,
    statuses: [200, 400, 401, 403, 404],
    family: 'jsonapi',
    cors: 'app-origins',
    summary:
      'What an assistant did, newest first, also once it is gone: calls for a week, then counts of days; 100 a page, `cursor`.',
    source: 'assistants.md 5.6, 5.8',
  }),
]

async function showActivity(ctx: RouteContext, services: AuthUiServices): Promise<void> {
  const { instance, query } = ctx.state
  const id = idOf(ctx)
  const cursor = query.get('cursor')
  const page = await pageOf(services, instance, id, cursor)
  const isEmpty = page.calls.length === 0 && page.days.length === 0
  if (isEmpty && cursor === undefined) await requireClient(services, instance, id)
  const { namespace } = services
  const data: Resource[] = [
    ...page.calls.map((call) => ofCall(services, instance, call)),
    ...page.days.map((day) => ofDay(services, instance, day)),
  ].map((one) => ({ ...one, type: `${namespace}.oauth.${one.type}` }))
  const next =
    page.cursor === undefined
      ? {}
      : { next: `${ctx.path}?${new URLSearchParams({ cursor: page.cursor }).toString()}` }
  ctx.type = 'application/vnd.api+json'
  ctx.body = JSON.stringify({ data, links: next })
}

async function pageOf(
  { oauth }: AuthUiServices,
  instance: Instance,
  id: string,
  cursor: string | undefined,
): Promise<CallPage> {
  try {
    return await oauth.assistants.listCalls(instance, id, cursor)
  } catch (error) {
    if (cursor === undefined || !(error instanceof TypeError)) throw error
    throw new AuthUiError('invalid_parameter', { description: 'cursor is malformed' })
  }
}

/** What never did anything has an empty list, and what never was has none. */
async function requireClient(
  { oauth }: AuthUiServices,
  instance: Instance,
  id: string,
): Promise<void> {
  if ((await oauth.clients.get(instance, id)) === undefined) throw new AuthUiError('not_found')
}

function ofCall(services: AuthUiServices, instance: Instance, call: RecordedCall): Resource {
  const { id, time, tool, type, documents, bytes, outcome, writes, event } = call
  const about =
    event === undefined
      ? { tool, ...kindOf(services, instance, type), documents, bytes, outcome }
      : { event }
  return {
    type: 'assistant-calls',
    id,
    attributes: { time: isoTime(time), ...about, ...(writes === undefined ? {} : { writes }) },
  }
}

function ofDay(
  services: AuthUiServices,
  instance: Instance,
  { day, kinds }: RecordedDay,
): Resource {
  const counts = Object.entries(kinds)
    .map(([type, count]: [string, CallCounts]) => ({
      ...kindOf(services, instance, type),
      ...count,
    }))
    .toSorted((one, other) => other.calls - one.calls)
  return { type: 'assistant-days', id: day, attributes: { day, counts } }
}

/** A kind of data with what it is called; neither where there was none, or there were several. */
function kindOf(
  { pages }: Pick<AuthUiServices, 'pages'>,
  { locale }: Instance,
  type: string | undefined,
): { readonly type?: string; readonly kind?: string } {
  if (type === undefined || !type.includes('.')) return {}
  return { type, kind: pages.kindWords(locale, { type }) }
}
