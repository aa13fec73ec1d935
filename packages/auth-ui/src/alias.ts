import type { RouteMiddleware } from '@svc/oauth-core'
import { redirect } from './login/arrival.ts'

/** Pages live on the domain: an alias answers with the way there (D53). */
export const redirectAlias: RouteMiddleware = async function redirectAlias(ctx, next) {
  const { instance } = ctx.state
  if (!instance.aliases.includes(ctx.host.toLowerCase())) return next()
  const search = ctx.querystring === '' ? '' : `?${ctx.querystring}`
  redirect(ctx, `${instance.origin}${ctx.path}${search}`)
}
