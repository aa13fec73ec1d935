import type { CallCounts, RecordedCall, RecordedDay } from '@svc/oauth-core'
import { defineRoute, type Instance, type Route, type RouteContext } from '@svc/platform'
import { AuthUiError } from '../errors.ts'
import type { AssistantChange } from '../ports.ts'
import type { AuthUiServices } from '../services.ts'
import { requireSettingsApp } from '../web/caller.ts'
import { shownChange } from './assistant-changes.ts'
import { answerPage, isoTime, readPage, type Resource } from './json-api.ts'
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
  const page = await readPage(cursor, () =>
    services.oauth.assistants.listCalls(instance, id, cursor),
  )
  const isEmpty = page.calls.length === 0 && page.days.length === 0
  if (isEmpty && cursor === undefined) await requireClient(services, instance, id)
  const { namespace } = services
  const changes = await changesOf(services, instance, id, page.calls)
  const data: Resource[] = [
    ...page.calls.map((call) => ofCall(services, instance, call, changes)),
    ...page.days.map((day) => ofDay(services, instance, day)),
  ].map((one) => ({ ...one, type: `${namespace}.oauth.${one.type}` }))
  answerPage(ctx, data, page.cursor)
}

/** What never did anything has an empty list, and what never was has none. */
async function requireClient(
  { oauth }: AuthUiServices,
  instance: Instance,
  id: string,
): Promise<void> {
  if ((await oauth.clients.get(instance, id)) === undefined) throw new AuthUiError('not_found')
}

/** What can be put back, by the id of the call that did it: such calls change one document. */
async function changesOf(
  { options }: AuthUiServices,
  instance: Instance,
  clientId: string,
  calls: readonly RecordedCall[],
): Promise<ReadonlyMap<string, AssistantChange>> {
  const written = calls.flatMap(({ id, writes: [write] = [] }) =>
    write?.before === undefined ? [] : [{ id, write }],
  )
  if (written.length === 0) return new Map()
  const writes = written.map(({ write }) => write)
  const found = await options.assistantChanges.find(instance, clientId, writes)
  return new Map(
    written.flatMap(({ id }, place) => {
      const change = found[place]
      return change === undefined ? [] : [[id, change]]
    }),
  )
}

function ofCall(
  services: AuthUiServices,
  instance: Instance,
  call: RecordedCall,
  changes: ReadonlyMap<string, AssistantChange>,
): Resource {
  const { id, time, tool, type, documents, bytes, outcome, writes, event } = call
  const about =
    event === undefined
      ? { tool, ...kindOf(services, instance, type), documents, bytes, outcome }
      : { event }
  const change = changes.get(id)
  return {
    type: 'assistant-calls',
    id,
    attributes: {
      time: isoTime(time),
      ...about,
      ...(writes === undefined ? {} : { writes }),
      ...(change !== undefined && { change: { id: change.id, ...shownChange(change) } }),
    },
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
