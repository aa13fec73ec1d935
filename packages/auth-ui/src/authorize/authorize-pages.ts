import type { AuthorizePages } from '@svc/oauth-core'
import { MINUTE_MS, type RouteContext } from '@svc/platform'
import type { Context } from 'koa'
import { createHurdlePages, type HurdlePagesOptions } from './hurdle-pages.ts'
import type { Csrf } from '../web/csrf.ts'
import { AuthUiError } from '../errors.ts'
import { redirect } from '../web/answer.ts'
import { withoutSessionCode } from '../web/redirect-target.ts'
import type { PageRenderer } from '../pages/page-renderer.ts'
import type { Mailer } from '../ports.ts'
import type { DescribeRequest } from '../web/request-facts.ts'
import { wayOn } from '../pages/recovery-link.ts'

/** What {@link createAuthorizePages} needs. */
export interface AuthorizePagesOptions extends HurdlePagesOptions {
  readonly pages: PageRenderer
  readonly csrf: Csrf
  readonly mailer: Mailer
  readonly describeRequest: DescribeRequest
  readonly clock: { now(): number }
}

/** The pages of the authorization endpoint, and error pages and the CSRF rule for every package. */
export function createAuthorizePages(options: AuthorizePagesOptions): AuthorizePages {
  const { pages, csrf, clock } = options
  return {
    ...createHurdlePages(options),
    async certify(context, { client, token, code, expiresAt }) {
      const ctx = behindRow(context)
      const endsInMs = Math.max(0, (expiresAt ?? 0) - clock.now())
      if (code !== undefined) await mailCode(ctx, code, endsInMs, options)
      await pages.certifyPage(ctx, {
        client,
        endsInMs,
        reloadHref: withoutSessionCode(ctx.url),
        ...(token === undefined ? {} : { token }),
      })
    },
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
    async sharing(context, view) {
      const ctx = behindRow(context)
      await pages.sharingPage(ctx, {
        view,
        csrfToken: await csrf.token(ctx),
        formActionSources: view.formActionSource === undefined ? [] : [view.formActionSource],
      })
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

/** @throws AuthUiError `mail_failed`: the caller takes the code back */
async function mailCode(
  ctx: RouteContext,
  code: string,
  endsInMs: number,
  { mailer, describeRequest }: AuthorizePagesOptions,
): Promise<void> {
  const { instance } = ctx.state
  const variables = {
    ...(await describeRequest(ctx)),
    minutes: Math.max(1, Math.round(endsInMs / MINUTE_MS)),
    code,
  }
  try {
    await mailer.send(instance, { template: 'confirm_flagship', variables })
  } catch (cause) {
    throw new AuthUiError('mail_failed', { cause })
  }
}

function behindRow(ctx: Context): RouteContext {
  // Rows run behind `resolveInstance` and the router.
  return ctx as RouteContext
}
