import { insufficientScope, type OAuth } from '@svc/oauth-core'
import { type RouteMiddleware } from '@svc/platform'

/**
 * Lets those through whose token has a rule for the verb and the type; before the body is read: whoever may not change
 * anything does not get to send.
 */
export function demandPermission(
  oauth: Pick<OAuth, 'authenticate'>,
  verb: 'GET' | 'PATCH',
  type: string,
): RouteMiddleware {
  return async function requirePermission(ctx, next) {
    await oauth.authenticate(ctx)
    if (ctx.state.access?.allows(verb, type) !== true) throw insufficientScope()
    await next()
  }
}
