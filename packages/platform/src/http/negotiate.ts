import type { Context } from 'koa'

/** Whether `Accept` prefers `application/json` to `text/html`; absent and `any type` mean HTML (D32). */
export function prefersJson(ctx: Context): boolean {
  if (ctx.get('Accept') === '') return false
  return ctx.accepts('text/html', 'application/json') === 'application/json'
}
