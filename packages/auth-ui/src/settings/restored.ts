import { defineRoute, type Instance, type Route, type RouteContext } from '@svc/platform'
import type { AuthUiServices } from '../services.ts'
import { requireSettingsApp } from '../web/caller.ts'
import { answerResources, isoTime } from './json-api.ts'

/** That a space was put back from a backup. */
export interface RestoredSpace {
  /** When the backup was made, milliseconds since the epoch. */
  readonly backupAt: number
  /** Names of clients that were removed after that, as far as it is known, and are there again. */
  readonly returned: readonly string[]
}

/** What the host knows of that. */
export interface RestoredSpaces {
  /** Undefined: it was not, or the owner has seen it. */
  find(instance: Instance): Promise<RestoredSpace | undefined>
  /** The owner has seen it. */
  forget(instance: Instance): Promise<void>
}

/** For a host that tells owners itself. */
export const NO_RESTORED_SPACES: RestoredSpaces = {
  find: async () => undefined,
  forget: async () => {},
}

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
