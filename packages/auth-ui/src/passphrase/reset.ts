import { RESET_SCHEMA } from './reset.schema.ts'
import { defineRoute, provedInHandler, type Route, type RouteContext } from '@svc/platform'
import type { AuthUiServices } from '../services.ts'
import { findSettingsApp } from '../web/settings-app.ts'
import { requestReset } from './reset-mails.ts'
import { locateTarget } from '../login/complete-login.ts'
import { homeTarget, parseTarget, type RedirectTarget } from '../web/redirect-target.ts'
import { answerActivation } from '../login/activation.ts'
import { answerRedirect, redirect } from '../web/answer.ts'

/** Asking for a link to a new passphrase. @see login.md 5.5, decision D33 */
export const resetRoutes: readonly Route<AuthUiServices>[] = [
  defineRoute({
    method: 'GET',
    path: '/auth/passphrase_reset',
    handler: showReset,
    auth: provedInHandler(['none', 'session cookie'], 'session/session-middleware.ts'),
    statuses: [200, 302, 400, 412],
    family: 'html',
    summary:
      'Shows the form that asks for a link to a new passphrase. A script of the same origin that asks for JSON gets it as data.',
    source: 'login.md 5.5',
  }),
  defineRoute({
    method: 'POST',
    path: '/auth/passphrase_reset',
    handler: submitReset,
    auth: provedInHandler(['none', 'session cookie'], 'session/session-middleware.ts'),
    limit: [{ bucket: 'passphrase-reset', inRule: 'mails; asked in requestReset' }],
    body: { types: ['form'], schema: RESET_SCHEMA },
    statuses: [200, 302, 400, 403, 413, 415],
    family: 'html',
    csrf: 'token',
    activity: 'reset.requested',
    summary: 'Mails a link to a new passphrase; the answer is the same whether one was sent.',
    source: 'login.md 5.5',
  }),
]

async function showReset(ctx: RouteContext, services: AuthUiServices): Promise<void> {
  const { instance, query } = ctx.state
  const owner = (await services.owners.get(instance.id))?.owner
  if (owner?.onboardedAt === undefined) return answerActivation(services, ctx)
  const target = await targetOf(services, ctx, query.text('redirect'))
  const isFromSettings = query.text('from') === 'settings'
  const session = await services.sessionMiddleware.current(ctx)
  if (session !== undefined && !isFromSettings) {
    const home = await homeTarget(services, instance)
    return redirect(ctx, await locateTarget(services, ctx, home, session, 'empty'))
  }
  const back = await backHref(services, ctx, isFromSettings, target)
  ctx.status = 200
  await services.pages.resetPage(ctx, {
    csrfToken: await services.csrf.token(ctx),
    formActionSources: [],
    redirect: target?.href ?? '',
    from: isFromSettings ? 'settings' : '',
    ...(back === undefined ? {} : { backHref: back }),
    losesVault: owner.keys !== undefined,
  })
}

async function submitReset(ctx: RouteContext, services: AuthUiServices): Promise<void> {
  const { instance, form, query } = ctx.state
  const target = await targetOf(services, ctx, form.text('redirect') || query.text('redirect'))
  const isFromSettings = form.text('from') === 'settings'
  await requestReset(services, ctx, { isFromSettings })
  if ((await services.sessionMiddleware.current(ctx)) !== undefined)
    await services.sessionMiddleware.end(ctx)
  const back = target === undefined ? '' : `&redirect=${encodeURIComponent(target.href)}`
  answerRedirect(ctx, `${instance.origin}/auth/login?msg=passphrase-reset-requested${back}`)
}

async function targetOf(
  services: AuthUiServices,
  ctx: RouteContext,
  raw: string,
): Promise<RedirectTarget | undefined> {
  return raw === '' ? undefined : parseTarget(services, ctx.state.instance, raw)
}

/** The way back: to the settings, to the login, or none. */
async function backHref(
  services: AuthUiServices,
  ctx: RouteContext,
  isFromSettings: boolean,
  target: RedirectTarget | undefined,
): Promise<string | undefined> {
  const { instance, query } = ctx.state
  if (query.text('hideBackButton') === 'true') return undefined
  const settings = isFromSettings ? await findSettingsApp(services, instance) : undefined
  return settings?.href ?? loginHref(target)
}

/** The login, with what was asked for: a path of the instance. */
export function loginHref(target: RedirectTarget | undefined): string {
  return withTarget('/auth/login', target)
}

/** The page that mails a link to a new passphrase, with what was asked for: a path of the instance. */
export function resetHref(target: RedirectTarget | undefined): string {
  return withTarget('/auth/passphrase_reset', target)
}

function withTarget(path: string, target: RedirectTarget | undefined): string {
  return target === undefined ? path : `${path}?redirect=${encodeURIComponent(target.href)}`
}
