import type { Clock } from '@svc/store'
import type { Context, Next } from 'koa'
import type { HostEventLog } from '../log/log.ts'
import { AdminError } from './admin-error.ts'
import type { AdminScope, RouteScope } from './admin-scopes.ts'
import type { AdminToken } from './admin-token.ts'
import type { NamedToken, NamedTokens } from './named-tokens.ts'

interface NamedCall {
  readonly token: NamedToken
  /** Undefined until it is known which one it is. */
  route?: string
}

/** Whose request it is: nothing is noted for the token that may do everything. */
const calls = new WeakMap<Context, NamedCall>()

/** Tells the audit stream what a named token changed, and what it was refused. Outside of whoever answers errors. */
export function auditNamedTokens(log: HostEventLog) {
  return async function adminAudit(ctx: Context, next: Next): Promise<void> {
    await next()
    const { token, route } = calls.get(ctx) ?? {}
    if (token === undefined || route === undefined) return
    if (ctx.method === 'GET' && ctx.status !== 403) return
    log.info('admin.called', { token: token.name, route, status: ctx.status })
  }
}

/** Refuses requests without the admin token, or a named one that has not ended. */
export function requireToken(token: AdminToken, tokens: NamedTokens, clock: Clock) {
  return async function adminBearer(ctx: Context, next: Next): Promise<void> {
    const [, given] = /^Bearer ([\x21-\x7e]{1,512})$/i.exec(ctx.get('Authorization')) ?? []
    if (given === undefined || !token.isSame(given)) {
      const known = given === undefined ? undefined : await tokens.find(given)
      if (known === undefined) {
        ctx.set('WWW-Authenticate', 'Bearer')
        throw new AdminError('unauthorized', 401, 'the admin token is missing or wrong')
      }
      if (known.until <= clock.now()) {
        ctx.set('WWW-Authenticate', 'Bearer error="invalid_token"')
        const ended = `the admin token ${known.name} ended on ${new Date(known.until).toISOString()}`
        throw new AdminError('admin_token_ended', 401, ended)
      }
      calls.set(ctx, { token: known })
    }
    await next()
  }
}

/** Refuses a named token that was not made for the route. */
export function requireScope(scope: RouteScope, route: string) {
  return async function adminScope(ctx: Context, next: Next): Promise<void> {
    const call = calls.get(ctx)
    if (call !== undefined) {
      call.route = route
      const { name, scopes } = call.token
      if (!scopes.some((each) => each === scope)) {
        ctx.set('WWW-Authenticate', challenge(scope))
        throw new AdminError('scope_missing', 403, refusal(name, route, scope))
      }
    }
    await next()
  }
}

/** Whether the token of a request was made for a scope, too, beside the one of its route. */
export function mayAlso(ctx: Context, scope: AdminScope): boolean {
  const call = calls.get(ctx)
  return call === undefined || call.token.scopes.includes(scope)
}

/** @see RFC 6750 3.1 */
function challenge(scope: RouteScope): string {
  const wanted = scope === 'everything' ? '' : `, scope="${scope}"`
  return `Bearer error="insufficient_scope"${wanted}`
}

function refusal(name: string, route: string, scope: RouteScope): string {
  return scope === 'everything'
    ? `no named admin token may do ${route}: use the token of the server`
    : `the admin token ${name} may not do ${route}: that takes ${scope}`
}
