import type { AuthorizePages } from '@svc/oauth-core'
import { type HttpError, MINUTE_MS, originOfApp, type RouteContext } from '@svc/platform'
import type { Context } from 'koa'
import { AuthUiError } from '../errors.ts'
import type { FormPageModel, LimitPageModel } from '../pages/page-models.ts'
import { nextStep, recoveryHref } from '../pages/recovery-link.ts'
import type { AuthUiServices } from '../services.ts'
import { redirect } from '../web/answer.ts'
import { withoutSessionCode } from '../web/redirect-target.ts'
import { describeVisitor, visitorOf } from '../web/visitor.ts'
import { sectionPath } from '../web/settings-app.ts'

/**
 * The pages of the authorization endpoint, interstitials among them, and error pages and the CSRF rule for every package.
 * @see oauth.md 5.4, 5.6
 */
export function createAuthorizePages(services: AuthUiServices): AuthorizePages {
  const { clock, csrf, options, pages } = services
  const formOf = async (
    ctx: RouteContext,
    { formActionSource }: { readonly formActionSource?: string },
  ): Promise<FormPageModel> => ({
    csrfToken: await csrf.token(ctx),
    formActionSources: formActionSource === undefined ? [] : [formActionSource],
  })
  return {
    async certify(context, { client, token, code, expiresAt }) {
      const ctx = behindRoute(context)
      const endsInMs = Math.max(0, (expiresAt ?? 0) - clock.now())
      if (code !== undefined) await mailCode(services, ctx, code, endsInMs)
      await pages.certifyPage(ctx, {
        client,
        endsInMs,
        reloadHref: withoutSessionCode(ctx.url),
        ...(token === undefined ? {} : { token }),
      })
    },
    async assistant(context, view) {
      const ctx = behindRoute(context)
      await pages.assistantPage(ctx, { view, ...(await formOf(ctx, view)) })
    },
    async consent(context, view) {
      const ctx = behindRoute(context)
      const installed = await services.apps.listInstalled(ctx.state.instance)
      await pages.consentPage(ctx, {
        view,
        appNames: installed.map(({ name }) => name),
        ...(await formOf(ctx, view)),
      })
    },
    async deprecated(context, { name, storeUrl }) {
      await pages.deprecatedPage(behindRoute(context), { name, storeUrl })
    },
    async limit(context, { client, redirectUri, count, limit }) {
      const ctx = behindRoute(context)
      const { raiseLimitUrl } = options
      const raiseHref =
        typeof raiseLimitUrl === 'function' ? raiseLimitUrl(ctx.state.instance) : raiseLimitUrl
      await pages.limitPage(ctx, {
        name: client.metadata.client_name,
        ...(client.unnamed === undefined ? {} : { unnamed: { redirectUri } }),
        count,
        limit,
        isPosted: ctx.method === 'POST',
        retryHref: ctx.method === 'POST' ? recoveryHref(ctx) : withoutSessionCode(ctx.url),
        ...(await settingsOf(services, ctx)),
        ...(raiseHref === undefined ? {} : { raiseHref }),
      })
    },
    async login(context) {
      const ctx = behindRoute(context)
      const { origin } = ctx.state.instance
      const search = ctx.querystring === '' ? '' : `?${ctx.querystring}`
      const back = encodeURIComponent(withoutSessionCode(`${origin}${ctx.path}${search}`))
      redirect(ctx, `${origin}/auth/login?redirect=${back}`)
    },
    async sharing(context, view) {
      const ctx = behindRoute(context)
      await pages.sharingPage(ctx, { view, ...(await formOf(ctx, view)) })
    },
    async outOfBand(context, answer) {
      await pages.outOfBandPage(behindRoute(context), answer)
    },
    async error(context, error, client) {
      const ctx = behindRoute(context)
      const { requestId } = ctx.state
      const shown = await shownError(services, ctx, error)
      await pages.errorPage(ctx, {
        error: shown,
        ...(requestId === undefined || error.status < 500 ? {} : { requestId }),
        next: client === undefined ? nextStep(ctx, shown) : { ...client, label: 'client' },
      })
    },
    checkCsrf: (ctx, rule) => csrf.check(ctx, rule),
  }
}

/** Whoever is logged in and has come to an address that only takes tokens would not get on by another login. */
async function shownError(
  { sessionMiddleware }: AuthUiServices,
  ctx: RouteContext,
  error: HttpError,
): Promise<Pick<HttpError, 'code' | 'status' | 'expose' | 'description'>> {
  if (error.code !== 'missing_token') return error
  const session = await sessionMiddleware.current(ctx)
  if (session === undefined) return error
  return { code: 'apps_only', status: error.status, expose: true, description: 'apps_only' }
}

/** What the page of the limit shows of the settings app, and listens with. */
async function settingsOf(
  { apps, sessionMiddleware, namespace, oauth, options }: AuthUiServices,
  ctx: RouteContext,
): Promise<Pick<LimitPageModel, 'live' | 'settingsHref'>> {
  const { instance } = ctx.state
  const app = await apps.installed(instance, options.settingsSlug)
  if (app === undefined) return {}
  const settingsHref = `${originOfApp(instance, options.settingsSlug)}${sectionPath(instance, 'apps')}`
  const session = await sessionMiddleware.current(ctx)
  if (session === undefined) return { settingsHref }
  // SPEC: oauth.md 5.4 - bound to the session: it dies with it, and is worth nothing without its cookie.
  const token = await oauth.appTokens.issue(instance, app, session.id)
  return { settingsHref, live: { token, namespace } }
}

/** @throws AuthUiError `mail_failed`: the caller takes the code back */
async function mailCode(
  services: AuthUiServices,
  ctx: RouteContext,
  code: string,
  endsInMs: number,
): Promise<void> {
  const variables = {
    ...(await describeVisitor(services, visitorOf(services, ctx))),
    minutes: Math.max(1, Math.round(endsInMs / MINUTE_MS)),
    code,
  }
  try {
    await services.mailer.send(ctx.state.instance, { template: 'confirm_flagship', variables })
  } catch (cause) {
    throw new AuthUiError('mail_failed', { cause })
  }
}

function behindRoute(ctx: Context): RouteContext {
  // Routes run behind `resolveInstance` and the router.
  return ctx as RouteContext
}
