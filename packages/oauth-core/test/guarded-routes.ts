import type Koa from 'koa'
import type { GuardRule } from '../src/access/guard.ts'
import type { AccessContext, OAuth } from '../src/index.ts'

/** Routes of an embedding server, each with the rule that guards it; they answer who calls. */
export const guardedRoutes =
  (rules: Readonly<Record<string, GuardRule>>) =>
  (app: Koa, oauth: OAuth): void => {
    const guards = new Map(Object.entries(rules).map(([route, rule]) => [route, oauth.guard(rule)]))
    app.use(async (ctx, next) => {
      const guard = guards.get(`${ctx.method} ${ctx.path}`)
      if (guard === undefined) return next()
      await guard(ctx, async () => {
        // Set by the guard.
        const { access } = ctx.state as { access?: AccessContext }
        ctx.body = { kind: access?.kind, owner: access?.owner }
      })
    })
  }
