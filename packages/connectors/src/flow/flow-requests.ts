import type { RouteContext } from '@svc/platform'
import type { Context } from 'koa'
import { ConnectorError } from '../connector-error.ts'

/** Of an app's `start`. Bytes. @see connectors.md 4.1 */
export const MAX_START_QUERY = 8192
/** Of a provider's answer, whose code and description may be long. Bytes. @see connectors.md 4.2 (1) */
export const MAX_ANSWER_QUERY = 12_288

/** @throws ConnectorError `invalid_request` */
export function checkQuerySize(ctx: Context, maxBytes: number): void {
  if (ctx.querystring.length > maxBytes) {
    throw new ConnectorError('invalid_request', { description: 'the query is too long' })
  }
}

/**
 * Answers with nothing a browser that only thinks that somebody may go there: it must use nothing up.
 * @returns whether it is one
 */
export function answerPrefetch(ctx: Context): boolean {
  const isPrefetch = ['Sec-Purpose', 'Purpose'].some((name) => /prefetch/i.test(ctx.get(name)))
  if (isPrefetch) ctx.status = 204
  return isPrefetch
}

/** A segment of the route's path. */
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
