import { prefersJson, type RouteContext } from '@svc/platform'

/** Success of a browser form: 302, or 200 `{redirect}` for a client that prefers JSON (D32). */
export function answerRedirect(ctx: RouteContext, location: string): void {
  if (prefersJson(ctx)) answerJson(ctx, { redirect: location })
  else redirect(ctx, location)
}

/** 302 to an address of ours, byte for byte: Koa's own `redirect` would encode it again. */
export function redirect(ctx: RouteContext, location: string): void {
  ctx.status = 302
  ctx.set('Location', location)
  ctx.type = 'text/plain; charset=utf-8'
  ctx.body = 'Redirecting.'
}

/** 200 with a JSON object. */
export function answerJson(ctx: RouteContext, body: Readonly<Record<string, unknown>>): void {
  ctx.status = 200
  ctx.type = 'application/json; charset=utf-8'
  ctx.body = JSON.stringify(body)
}
