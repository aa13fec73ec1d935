import { defineRoute, type Route, type RouteContext } from '@svc/platform'
import type { AuthUiServices } from '../services.ts'
import { answerJson } from '../web/answer.ts'
import { requireSettingsApp } from '../web/caller.ts'

/** How much room is used and left: the same figures that a server gets which the owner moves to. */
export const diskUsageRoutes: readonly Route<AuthUiServices>[] = [
  defineRoute({
    method: 'GET',
    path: '/settings/disk-usage',
    handler: showDiskUsage,
    auth: requireSettingsApp,
    statuses: [200, 400, 401, 403],
    family: 'jsonapi',
    cors: 'app-origins',
    summary: 'Shows how many bytes the owner keeps, and may keep: `{"used", "quota"}`.',
    source: 'operation.md 8.3',
  }),
]

async function showDiskUsage(ctx: RouteContext, { options }: AuthUiServices): Promise<void> {
  const { used, quota } = (await options.move.diskUsage?.(ctx.state.instance)) ?? { used: 0 }
  answerJson(ctx, { used, ...(quota !== undefined && { quota }) })
}
