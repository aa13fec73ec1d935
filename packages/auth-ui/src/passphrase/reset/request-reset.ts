import type { RouteContext } from '@svc/platform'
import type { Csrf } from '../../web/csrf.ts'
import type { AnswerActivation } from '../../login/activation.ts'
import { type Arrival } from '../../login/arrival.ts'
import { answerRedirect, redirect } from '../../web/answer.ts'
import type { Redirects, RedirectTarget } from '../../web/redirect-target.ts'
import type { OwnerStore } from '../../owner/owner-store.ts'
import type { PageRenderer } from '../../pages/page-renderer.ts'
import type { SessionCarrier } from '../../session/session-carrier.ts'
import type { ResetMails } from './reset-mails.ts'
import type { FindSettings } from '../../web/settings-link.ts'

/** What {@link createRequestReset} needs. */
export interface RequestResetOptions {
  readonly owners: OwnerStore
  readonly resetMails: ResetMails
  readonly redirects: Redirects
  readonly arrival: Arrival
  readonly carrier: SessionCarrier
  readonly pages: PageRenderer
  readonly csrf: Csrf
  readonly findSettings: FindSettings
  readonly answerActivation: AnswerActivation
}

/** Asking for a link to a new passphrase. */
export interface RequestResetHandlers {
  /** `GET /auth/passphrase_reset` */
  show(ctx: RouteContext): Promise<void>
  /** `POST /auth/passphrase_reset` */
  submit(ctx: RouteContext): Promise<void>
}

/** @see login.md 5.5, decision D33 */
export function createRequestReset(options: RequestResetOptions): RequestResetHandlers {
  const { owners, resetMails, redirects, arrival, carrier, pages, csrf, findSettings } = options

  async function parseTarget(ctx: RouteContext, raw: string): Promise<RedirectTarget | undefined> {
    return raw === '' ? undefined : redirects.parse(ctx.state.instance, raw)
  }

  /** The way back: to the settings, to the log-in, or none. */
  async function backHref(
    ctx: RouteContext,
    isFromSettings: boolean,
    target: RedirectTarget | undefined,
  ): Promise<string | undefined> {
    const { instance, query } = ctx.state
    if (query.text('hideBackButton') === 'true') return undefined
    const settings = isFromSettings ? await findSettings(instance) : undefined
    return settings?.href ?? loginHref(target)
  }

  return {
    async show(ctx) {
      const { instance, query } = ctx.state
      const owner = (await owners.get(instance.id))?.owner
      if (owner?.onboardedAt === undefined) return options.answerActivation(ctx)
      const target = await parseTarget(ctx, query.text('redirect'))
      const isFromSettings = query.text('from') === 'settings'
      const session = await carrier.current(ctx)
      if (session !== undefined && !isFromSettings) {
        const home = await redirects.home(instance)
        return redirect(ctx, await arrival.locate(ctx, home, session, 'empty'))
      }
      const back = await backHref(ctx, isFromSettings, target)
      ctx.status = 200
      await pages.resetPage(ctx, {
        csrfToken: await csrf.token(ctx),
        formActionSources: [],
        redirect: target?.href ?? '',
        from: isFromSettings ? 'settings' : '',
        ...(back === undefined ? {} : { backHref: back }),
        losesVault: owner.keys !== undefined,
      })
    },
    async submit(ctx) {
      const { instance, form, query } = ctx.state
      const target = await parseTarget(ctx, form.text('redirect') || query.text('redirect'))
      const isFromSettings = form.text('from') === 'settings'
      await resetMails.request(ctx, { isFromSettings })
      if ((await carrier.current(ctx)) !== undefined) await carrier.end(ctx)
      const back = target === undefined ? '' : `&redirect=${encodeURIComponent(target.href)}`
      answerRedirect(ctx, `${instance.origin}/auth/login?msg=passphrase-reset-requested${back}`)
    },
  }
}

/** The log-in, with what was asked for: a path of the instance. */
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
