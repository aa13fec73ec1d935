import type { AuthorizePages, RouteContext } from '@svc/oauth-core'
import type { Context } from 'koa'
import type { Csrf } from './csrf.ts'
import { redirect } from './login/arrival.ts'
import { withoutSessionCode } from './login/redirect-target.ts'
import type { PageRenderer } from './page-renderer.ts'
import { wayOn } from './start-again.ts'

/** The pages of the authorization endpoint, and error pages and the CSRF rule for every package. */
export function createAuthorizePages(pages: PageRenderer, csrf: Csrf): AuthorizePages {
  return {
    async consent(context, view) {
      const ctx = behindRow(context)
      await pages.consentPage(ctx, {
        view,
        csrfToken: await csrf.token(ctx),
        formActionSources: view.formActionSource === undefined ? [] : [view.formActionSource],
      })
    },
    async login(context) {
      const ctx = behindRow(context)
      const { origin } = ctx.state.instance
      const search = ctx.querystring === '' ? '' : `?${ctx.querystring}`
      const back = encodeURIComponent(withoutSessionCode(`${origin}${ctx.path}${search}`))
      redirect(ctx, `${origin}/auth/login?redirect=${back}`)
    },
    async outOfBand(context, answer) {
      await pages.outOfBandPage(behindRow(context), answer)
    },
    async error(context, error) {
      const ctx = behindRow(context)
      const { requestId } = ctx.state
      await pages.errorPage(ctx, {
        error,
        ...(requestId === undefined || error.status < 500 ? {} : { requestId }),
        next: wayOn(ctx, error),
      })
    },
    checkCsrf: (ctx, rule) => csrf.check(ctx, rule),
  }
}

function behindRow(ctx: Context): RouteContext {
  // Rows run behind `resolveInstance` and the router.
  return ctx as RouteContext
}
