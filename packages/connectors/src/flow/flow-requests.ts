import type { RouteContext, RouteMiddleware } from '@svc/platform'
import type { Context } from 'koa'
import { ConnectorError } from '../connector-error.ts'

/** Bytes. @see connectors.md 4.2 (1) */
const MAX_QUERY = 8192

/** @throws ConnectorError `invalid_request` */
export function checkQuerySize(ctx: Context): void {
  if (ctx.querystring.length > MAX_QUERY) {
    throw new ConnectorError('invalid_request', { description: 'the query is too long' })
  }
}

/** Whether a browser only thinks that somebody may go there. */
export function isPrefetch(ctx: Context): boolean {
  return ['Sec-Purpose', 'Purpose'].some((name) => /prefetch/i.test(ctx.get(name)))
}

/** Answers those with nothing: a browser that looks ahead must use nothing up. */
export const ignorePrefetch: RouteMiddleware = async function ignorePrefetch(ctx, next) {
  if (isPrefetch(ctx)) ctx.status = 204
  else await next()
}

/** A segment of the row's path. */
export function pathParameter(ctx: RouteContext, name: 'accountId' | 'accountType'): string {
  const parameters = ctx['params'] as Readonly<Record<string, string>> // Of the router.
  return parameters[name] ?? ''
}

/** 302 (D11), without a body that would show where. */
export function redirectTo(ctx: Context, target: string): void {
  ctx.status = 302
  ctx.set('Location', target)
  ctx.body = ''
}
