import {
  bodySchema,
  type BodySchema,
  defineRoute,
  type Route,
  type RouteContext,
} from '@svc/platform'
import { AuthUiError } from '../errors.ts'
import type { AssistantChange } from '../ports.ts'
import type { AuthUiServices } from '../services.ts'
import { noteOwn } from '../web/activity.ts'
import { requireSettingsApp } from '../web/caller.ts'
import { refuseBody } from '../web/posted.ts'
import { answerPage, isoTime, readPage, type Resource } from './json-api.ts'
import { idOf } from './settings-owner.ts'

/** `POST /settings/assistants/:id/activity/:change/put-back`. */
interface PutBackBody {
  readonly overwrites?: boolean
}

const PUT_BACK_SCHEMA: BodySchema<PutBackBody | null> = bodySchema({
  type: ['object', 'null'],
  additionalProperties: false,
  properties: {
    overwrites: {
      type: 'boolean',
      description: 'whether what somebody else made of it since is lost; not unless it is said',
    },
  },
})

/** A page of changes: each holds a document. */
const PAGE = 25

/** What assistants changed, and the way back. @see assistants.md 6.6 */
export const assistantChangeRoutes: readonly Route<AuthUiServices>[] = [
  defineRoute({
    method: 'GET',
    path: '/settings/assistants/changes',
    handler: listChanges,
    auth: requireSettingsApp,
    statuses: [200, 400, 401, 403],
    family: 'jsonapi',
    cors: 'app-origins',
    summary:
      'What assistants changed or deleted, newest first, also those that are gone, while the version before is kept: 25 a page, `cursor`.',
    source: 'assistants.md 6.6',
  }),
  defineRoute({
    method: 'POST',
    path: '/settings/assistants/:id/activity/:change/put-back',
    handler: putBack,
    auth: requireSettingsApp,
    body: { types: ['json'], schema: PUT_BACK_SCHEMA, refuse: refuseBody, optional: true },
    statuses: [204, 400, 401, 403, 404, 409, 413, 415],
    family: 'jsonapi',
    cors: 'app-origins',
    activity: 'assistant.undone',
    summary:
      'Puts back what an assistant changed or deleted, as it was before: once, and not over what somebody else made of it since, unless the body says so.',
    source: 'assistants.md 6.6',
  }),
]

async function listChanges(ctx: RouteContext, services: AuthUiServices): Promise<void> {
  const { instance, query } = ctx.state
  const cursor = query.get('cursor')
  const asked = { limit: PAGE, ...(cursor !== undefined && { cursor }) }
  const page = await readPage(cursor, () => services.options.assistantChanges.list(instance, asked))
  const data: Resource[] = page.changes.map((change) => ({
    type: `${services.namespace}.oauth.assistant-changes`,
    id: change.id,
    attributes: {
      assistant: { id: change.clientId, name: change.clientName },
      time: isoTime(change.time),
      type: change.type,
      kind: services.pages.kindWords(instance.locale, { type: change.type }),
      ...shownChange(change),
    },
  }))
  answerPage(ctx, data, page.cursor)
}

async function putBack(
  ctx: RouteContext<PutBackBody | null>,
  services: AuthUiServices,
): Promise<void> {
  const { instance, body } = ctx.state
  const clientId = idOf(ctx)
  const id = String((ctx as { params?: { change?: unknown } }).params?.change)
  const change = { clientId, id, overwrites: body?.overwrites === true }
  const outcome = await services.options.assistantChanges.putBack(instance, change, (found) => {
    const target = { kind: 'client', id: clientId, name: found.clientName } as const
    return noteOwn(services, ctx, { event: 'assistant.undone', target })
  })
  if (outcome === 'gone') throw new AuthUiError('not_found')
  if (outcome === 'changed_since') throw new AuthUiError('changed_since')
  ctx.status = 204
}

/** What the list of a client's calls says of one, too. */
export function shownChange({ title, isDeleted, isBack }: AssistantChange): {
  readonly title: string
  readonly is_deleted: boolean
  readonly is_back: boolean
} {
  return { title, is_deleted: isDeleted, is_back: isBack }
}
