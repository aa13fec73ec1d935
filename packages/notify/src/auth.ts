import { insufficientScope } from '@svc/oauth-core'
import { requirement, type RouteAuth } from '@svc/platform'
import type { NotifyServices } from './services.ts'

/**
 * Lets those through whose token has a rule for the verb and the type.
 * @param type - doctype without the prefix
 */
export function permissionFor(
  verb: 'GET' | 'PATCH',
  type: 'notifications' | 'notifications.preferences',
): RouteAuth<Pick<NotifyServices, 'namespace' | 'oauth'>> {
  return requirement(
    ['app token', 'access token'],
    async function requirePermission(ctx, { namespace, oauth }) {
      await oauth.authenticate(ctx)
      if (ctx.state.access?.allows(verb, `${namespace}.${type}`) !== true) throw insufficientScope()
    },
  )
}

/** Lets every valid token through; the handler's rule decides what its holder may see. */
export const requireToken: RouteAuth<Pick<NotifyServices, 'oauth'>> = requirement(
  ['app token', 'access token', 'konnector token'],
  async function requireToken(ctx, { oauth }) {
    await oauth.authenticate(ctx)
  },
)
