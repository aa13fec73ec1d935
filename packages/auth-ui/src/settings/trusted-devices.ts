import { noteOwn } from '../web/activity.ts'
import type { Change } from '@svc/store'
import { defineRoute, type Route, type RouteContext } from '@svc/platform'
import { AuthUiError } from '../errors.ts'
import {
  listTrustedDevices,
  removeTrustedDevice,
  type TrustedDevice,
} from '../factors/trusted-devices.ts'
import type { AuthUiServices } from '../services.ts'
import { requireSettingsApp } from '../web/caller.ts'
import { answerResources, isoTime } from './json-api.ts'
import { idOf, ownerOf } from './settings-owner.ts'

/** Browsers that skip the second factor. @see login.md 7 */
export const trustedDeviceRoutes: readonly Route<AuthUiServices>[] = [
  defineRoute({
    method: 'GET',
    path: '/settings/trusted_devices',
    handler: showTrustedDevices,
    auth: requireSettingsApp,
    statuses: [200, 400, 401, 403],
    family: 'jsonapi',
    cors: 'app-origins',
    summary: 'Lists the browsers that skip the second factor.',
    source: 'login.md 7',
  }),
  defineRoute({
    method: 'DELETE',
    path: '/settings/trusted_devices/:id',
    handler: endTrust,
    auth: requireSettingsApp,
    statuses: [204, 400, 401, 403, 404],
    family: 'jsonapi',
    cors: 'app-origins',
    activity: 'device.forgotten',
    summary: 'Trusts a browser no longer.',
    source: 'login.md 7',
  }),
]

async function showTrustedDevices(ctx: RouteContext, services: AuthUiServices): Promise<void> {
  const owner = await ownerOf(services, ctx)
  const devices = await listTrustedDevices(services, ctx.state.instance, owner)
  answerResources(
    ctx,
    devices.map(({ id, label, createdAt, lastUsed }) => ({
      type: `${services.namespace}.settings.trusted_devices`,
      id,
      attributes: { label, created_at: isoTime(createdAt), last_used: isoTime(lastUsed) },
    })),
  )
}

async function endTrust(ctx: RouteContext, services: AuthUiServices): Promise<void> {
  const note = ({ id, label }: TrustedDevice): readonly Change[] =>
    noteOwn(services, ctx, {
      event: 'device.forgotten',
      target: { kind: 'device', id, name: label },
    })
  if (!(await removeTrustedDevice(services, ctx.state.instance, idOf(ctx), note))) {
    throw new AuthUiError('not_found')
  }
  ctx.status = 204
}
