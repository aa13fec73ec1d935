import type { Context } from 'koa'

/** Whether `Accept` names HTML, as browsers do; a program may say nothing at all. */
export function namesHtml(ctx: Context): boolean {
  return /\btext\/html\b/i.test(ctx.get('Accept'))
}

/** Whether `Accept` prefers `application/json` to `text/html`; absent and `any type` mean HTML (D32). */
export function prefersJson(ctx: Context): boolean {
  if (ctx.get('Accept') === '') return false
  return ctx.accepts('text/html', 'application/json') === 'application/json'
}
