import { defineRoute, type Route, type RouteContext } from '@svc/platform'
import type { AuthUiServices } from '../services.ts'
import { requireSettingsApp } from '../web/caller.ts'
import { answerResources, isoTime } from './json-api.ts'

/** The notice after a restore, until the owner takes it away. */
export const restoredRoutes: readonly Route<AuthUiServices>[] = [
  defineRoute({
    method: 'GET',
    path: '/settings/restored',
    handler: showRestored,
    auth: requireSettingsApp,
    statuses: [200, 400, 401, 403],
    family: 'jsonapi',
    cors: 'app-origins',
    summary: 'Says whether the space was put back from a backup: an empty list when not.',
    source: 'operation.md 4.2',
  }),
  defineRoute({
    method: 'DELETE',
    path: '/settings/restored',
    handler: forgetRestored,
    auth: requireSettingsApp,
    statuses: [204, 400, 401, 403],
    family: 'jsonapi',
    cors: 'app-origins',
    activity: { none: 'It only puts a notice away.' },
    summary: 'Takes the notice of that away.',
    source: 'operation.md 4.2',
  }),
]

async function showRestored(ctx: RouteContext, services: AuthUiServices): Promise<void> {
  const restored = await services.options.restored.find(ctx.state.instance)
  const resources =
    restored === undefined
      ? []
      : [
          {
            type: `${services.namespace}.settings.restored`,
            id: 'last',
            attributes: { to: isoTime(restored.backupAt), returned: restored.returned },
          },
        ]
  answerResources(ctx, resources)
}

async function forgetRestored(ctx: RouteContext, services: AuthUiServices): Promise<void> {
  await services.options.restored.forget(ctx.state.instance)
  ctx.status = 204
}
