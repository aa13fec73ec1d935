import type { Assistant } from '@svc/oauth-core'
import {
  bodySchema,
  type BodySchema,
  DAY_MS,
  defineRoute,
  type Instance,
  type Route,
  type RouteContext,
} from '@svc/platform'
import { AuthUiError } from '../errors.ts'
import type { AuthUiServices } from '../services.ts'
import { originOf } from '../web/activity.ts'
import { requireSettingsApp } from '../web/caller.ts'
import { refuseBody } from '../web/posted.ts'
import { hostOf, shownAccess } from './clients.ts'
import { isoTime, type Resource } from './json-api.ts'
import { idOf } from './settings-owner.ts'

/** `PUT /settings/assistants/preferences`. */
interface PreferencesBody {
  readonly allowed: boolean
}

const PREFERENCES_SCHEMA: BodySchema<PreferencesBody> = bodySchema({
  type: 'object',
  additionalProperties: false,
  required: ['allowed'],
  properties: {
    allowed: {
      type: 'boolean',
      description: 'whether assistants may connect; `false` ends those that are connected',
    },
  },
})

/** Assistants, and the end of them. @see assistants.md 5.6; decision D75 */
export const assistantRoutes: readonly Route<AuthUiServices>[] = [
  defineRoute({
    method: 'GET',
    path: '/settings/assistants',
    handler: listAssistants,
    auth: requireSettingsApp,
    statuses: [200, 400, 401, 403],
    family: 'jsonapi',
    cors: 'app-origins',
    summary: 'Lists the connected assistants, what they may do and how much they did in a day.',
    source: 'assistants.md 5.6',
  }),
  defineRoute({
    method: 'DELETE',
    path: '/settings/assistants',
    handler: endAssistants,
    auth: requireSettingsApp,
    statuses: [204, 400, 401, 403],
    family: 'jsonapi',
    cors: 'app-origins',
    activity: 'assistant.ended',
    summary: 'Ends every assistant.',
    source: 'assistants.md 5.6',
  }),
  defineRoute({
    method: 'DELETE',
    path: '/settings/assistants/:id',
    handler: endAssistant,
    auth: requireSettingsApp,
    statuses: [204, 400, 401, 403, 404],
    family: 'jsonapi',
    cors: 'app-origins',
    activity: 'assistant.ended',
    summary: 'Ends an assistant and every token it holds; it may ask again.',
    source: 'assistants.md 5.6',
  }),
  defineRoute({
    method: 'PUT',
    path: '/settings/assistants/preferences',
    handler: putPreferences,
    auth: requireSettingsApp,
    body: { types: ['json'], schema: PREFERENCES_SCHEMA, refuse: refuseBody },
    statuses: [204, 400, 401, 403, 413, 415],
    family: 'jsonapi',
    cors: 'app-origins',
    activity: 'assistant.ended',
    summary: 'Lets assistants connect, or none: then those that are connected end.',
    source: 'assistants.md 5.6',
  }),
]

async function listAssistants(ctx: RouteContext, services: AuthUiServices): Promise<void> {
  const { instance } = ctx.state
  const { assistants } = services.oauth
  const data: Resource[] = []
  for (const assistant of await assistants.list(instance)) {
    data.push(await toResource(services, instance, assistant))
  }
  ctx.type = 'application/vnd.api+json'
  const { changes } = await services.options.assistantChanges.list(instance, { limit: 1 })
  const meta = {
    count: data.length,
    allowed: await assistants.mayConnect(instance),
    // Of those that are gone as well.
    ...(changes.length > 0 && { changed: true }),
  }
  ctx.body = JSON.stringify({ data, meta })
}

async function endAssistant(ctx: RouteContext, services: AuthUiServices): Promise<void> {
  const { assistants } = services.oauth
  if (!(await assistants.end(ctx.state.instance, idOf(ctx), 'owner', byOwner(ctx, services)))) {
    throw new AuthUiError('not_found')
  }
  ctx.status = 204
}

async function endAssistants(ctx: RouteContext, services: AuthUiServices): Promise<void> {
  await services.oauth.assistants.endAll(ctx.state.instance, 'owner', byOwner(ctx, services))
  ctx.status = 204
}

async function putPreferences(
  ctx: RouteContext<PreferencesBody>,
  services: AuthUiServices,
): Promise<void> {
  const { instance, body } = ctx.state
  // The schema demands it; nobody is let in by a body that is not there.
  const isAllowed = body?.allowed === true
  await services.oauth.assistants.allow(instance, isAllowed, byOwner(ctx, services))
  ctx.status = 204
}

function byOwner(ctx: RouteContext, { oauth }: AuthUiServices) {
  const origin = originOf(oauth.clientAddress(ctx), ctx.get('User-Agent'))
  return { actor: { kind: 'owner' as const }, origin }
}

async function toResource(
  services: AuthUiServices,
  instance: Instance,
  { client, grants }: Assistant,
): Promise<Resource> {
  const { oauth, clock, namespace } = services
  const { scope, permissions, expiresAt } = await shownAccess(services, instance, grants)
  return {
    type: `${namespace}.oauth.clients`,
    id: client.id,
    attributes: {
      name: services.pages.clientName(instance.locale, client),
      ...(client.unnamed === undefined ? {} : { unnamed: true }),
      ...(client.formerName === undefined ? {} : { former_name: client.formerName }),
      host: hostOf(client) ?? 'registered',
      resources: [...new Set(grants.map(({ resource }) => `${instance.origin}${resource}`))],
      scope,
      permissions,
      created_at: isoTime(Math.min(...grants.map(({ createdAt }) => createdAt))),
      expires_at: expiresAt,
      ...(client.lastUsedAt === undefined ? {} : { last_used_at: isoTime(client.lastUsedAt) }),
      ...(client.lastUsedFrom === undefined ? {} : { last_used_from: client.lastUsedFrom }),
      last_day: await oauth.assistants.countCalls(instance, client.id, clock.now() - DAY_MS),
    },
  }
}
