import { noteOwn } from '../web/activity.ts'
import { defineRoute, type Route, type RouteContext } from '@svc/platform'
import { AuthUiError } from '../errors.ts'
import type { AuthUiServices } from '../services.ts'
import { confirmedOwner } from '../settings/settings-owner.ts'
import { requireSettingsApp } from '../web/caller.ts'
import { refuseBody } from '../web/posted.ts'
import { MAGIC_LINK_SCHEMA, type MagicLinkBody } from './profile.schema.ts'

/** Whether a mailed link logs in. @see owner.md 1.1 */
export const magicLinkSettingRoutes: readonly Route<AuthUiServices>[] = [
  defineRoute({
    method: 'PUT',
    path: '/settings/magic_link',
    handler: putMagicLink,
    auth: requireSettingsApp,
    body: { types: ['json'], schema: MAGIC_LINK_SCHEMA, refuse: refuseBody },
    statuses: [204, 400, 401, 403, 409, 413, 415],
    family: 'jsonapi',
    cors: 'app-origins',
    activity: ['magic_link.on', 'magic_link.off'],
    summary: 'Switches logins by mailed link on or off.',
    source: 'owner.md 1.1',
  }),
]

async function putMagicLink(
  ctx: RouteContext<MagicLinkBody>,
  services: AuthUiServices,
): Promise<void> {
  const { instance, body } = ctx.state
  const isOn = body?.enabled === true
  const { securityStamp } = await confirmedOwner(services, ctx)
  if (isOn && instance.email === undefined) throw new AuthUiError('no_email')
  const event = isOn ? 'magic_link.on' : 'magic_link.off'
  const written = await services.owners.update(
    instance.id,
    (owner) => {
      if (owner.securityStamp !== securityStamp) throw new AuthUiError('confirmation_required')
      if ((owner.magicLink === true) === isOn) return undefined
      if (!isOn && owner.passwordDefined === false) throw new AuthUiError('no_way_in')
      return { ...owner, magicLink: isOn, updatedAt: services.clock.now() }
    },
    noteOwn(services, ctx, { event }),
  )
  if (written !== undefined) {
    services.log.info(event, { domain: instance.domain })
  }
  ctx.status = 204
}
